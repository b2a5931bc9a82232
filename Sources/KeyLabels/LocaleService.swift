import CSystemd

/// What `localed` reports over the system bus.
enum LocaleService {
  private static let name = "org.freedesktop.locale1"
  /// How long an answer may take, in microseconds: labels are worth no longer wait.
  private static let patience: UInt64 = 1_000_000

  /// The layout; `nil` if there is no such service, or it knows none.
  static func layout() -> SystemLayout? {
    var bus: OpaquePointer?
    guard csystemd_missing() == nil, csystemd_bus_open_system(&bus) >= 0, let bus else {
      return nil
    }
    defer { csystemd_bus_flush_close_unref(bus) }
    // Without the first, the others are not asked for.
    guard let layout = property("X11Layout", on: bus), !layout.isEmpty else { return nil }
    return SystemLayout(
      layout: layout, variant: property("X11Variant", on: bus),
      model: property("X11Model", on: bus), options: property("X11Options", on: bus))
  }

  private static func property(_ property: String, on bus: OpaquePointer) -> String? {
    var message: OpaquePointer?
    var result = csystemd_bus_message_new_method_call(
      bus, &message, name, "/org/freedesktop/locale1", "org.freedesktop.DBus.Properties", "Get")
    defer { csystemd_bus_message_unref(message) }
    for text in [name, property] {
      guard result >= 0 else { return nil }
      result = text.withCString {
        csystemd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), $0)
      }
    }
    var answer: OpaquePointer?
    var error = sd_bus_error()
    defer {
      csystemd_bus_error_free(&error)
      csystemd_bus_message_unref(answer)
    }
    guard result >= 0, csystemd_bus_call(bus, message, patience, &error, &answer) >= 0,
      csystemd_bus_message_enter_container(answer, CChar(UInt8(ascii: "v")), "s") > 0
    else { return nil }
    var text: UnsafePointer<CChar>?
    guard csystemd_bus_message_read_basic(answer, CChar(UInt8(ascii: "s")), &text) > 0 else {
      return nil
    }
    return text.map(String.init(cString:))
  }
}
