import Bus
import CSystemd

/// What `localed` reports over the system bus.
enum LocaleService {
  private static let name = "org.freedesktop.locale1"
  private static let properties = RemoteObject(
    service: name, path: "/org/freedesktop/locale1", interface: "org.freedesktop.DBus.Properties")
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
    guard let call = BusMessage.call("Get", of: properties, on: bus) else { return nil }
    call.append(name)
    call.append(property)
    guard case .answered(let answer) = call.call(on: bus, patience: patience) else { return nil }
    return answer.read(.variant, of: "s") { answer.readString() } ?? nil
  }
}
