import CSystemd

/// What the desktop offers to show notices (Desktop Notifications Specification 1.2).
enum Desktop {
  static let service = "org.freedesktop.Notifications"
  static let object = "/org/freedesktop/Notifications"
  static let interface = "org.freedesktop.Notifications"

  /// The call that shows a notice; `nil` if it cannot be made. The caller owns it.
  static func call(
    showing notice: NoticeBoard.Notice, replacing number: UInt32, on bus: OpaquePointer
  ) -> OpaquePointer? {
    var call: OpaquePointer?
    guard
      csystemd_bus_message_new_method_call(bus, &call, service, object, interface, "Notify") >= 0
    else { return nil }
    append("keydebounce", to: call)
    withUnsafePointer(to: number) {
      _ = csystemd_bus_message_append_basic(call, CChar(UInt8(ascii: "u")), $0)
    }
    append("input-keyboard", to: call)
    append(notice.summary, to: call)
    append(notice.body, to: call)
    csystemd_bus_message_open_container(call, CChar(UInt8(ascii: "a")), "s")
    // The first is that of a click on the notice itself.
    let actions = notice.hasAction ? ["default", "Show", "show", "Show"] : []
    for text in actions { append(text, to: call) }
    csystemd_bus_message_close_container(call)
    csystemd_bus_message_open_container(call, CChar(UInt8(ascii: "a")), "{sv}")
    csystemd_bus_message_close_container(call)
    // As long as the desktop likes.
    withUnsafePointer(to: Int32(-1)) {
      _ = csystemd_bus_message_append_basic(call, CChar(UInt8(ascii: "i")), $0)
    }
    return call
  }

  private static func append(_ text: String, to call: OpaquePointer?) {
    csystemd_bus_message_append_basic(call, CChar(UInt8(ascii: "s")), text)
  }
}

/// The next argument of a message, if it is a number.
func readNumber(_ message: OpaquePointer?) -> UInt32? {
  var number: UInt32 = 0
  return csystemd_bus_message_read_basic(message, CChar(UInt8(ascii: "u")), &number) > 0
    ? number : nil
}

/// The next argument of a message, if it is a string.
func readString(_ message: OpaquePointer?) -> String? {
  var text: UnsafePointer<CChar>?
  guard csystemd_bus_message_read_basic(message, CChar(UInt8(ascii: "s")), &text) > 0 else {
    return nil
  }
  return text.map { String(cString: $0) }
}
