import BusMessages

/// What the desktop offers to show notices (Desktop Notifications Specification 1.2).
enum Desktop {
  static let notifications = BusObject(
    service: "org.freedesktop.Notifications", path: "/org/freedesktop/Notifications",
    interface: "org.freedesktop.Notifications")

  /// The call that shows a notice; `nil` if it cannot be made.
  static func call(
    showing notice: NoticeBoard.Notice, replacing number: UInt32, on bus: OpaquePointer
  ) -> BusMessage? {
    guard let call = BusMessage.call("Notify", of: notifications, on: bus) else { return nil }
    call.append("keydebounce")
    call.append(number)
    call.append("input-keyboard")
    call.append(notice.summary)
    call.append(notice.body)
    // The first is that of a click on the notice itself.
    call.append(notice.hasAction ? ["default", "Show", "show", "Show"] : [])
    call.append(.array, of: "{sv}")
    // As long as the desktop likes.
    call.append(Int32(-1))
    return call
  }
}
