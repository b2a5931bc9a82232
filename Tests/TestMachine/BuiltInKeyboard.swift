import Foundation

/// The PS/2 keyboard that every PC has, the virtual one too.
public enum BuiltInKeyboard {
  /// Takes the keyboard away, so that those a test plugs in are all there are. Done already, it does nothing.
  public static func detach() throws {
    for port in try FileManager.default.contentsOfDirectory(atPath: "/sys/bus/serio/devices") {
      let control = "/sys/bus/serio/devices/\(port)/drvctl"
      try "none".write(toFile: control, atomically: false, encoding: .utf8)
    }
  }
}
