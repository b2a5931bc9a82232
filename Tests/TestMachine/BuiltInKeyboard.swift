import Foundation

/// The PS/2 keyboard that every PC has, the virtual one too; other machines have none.
public enum BuiltInKeyboard {
  /// Whether this machine has a port for one.
  public static var isPossible: Bool { !ports.isEmpty }

  private static var ports: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: "/sys/bus/serio/devices")) ?? []
  }

  /// Takes the keyboard away, so that those a test plugs in are all there are. Done already, it does nothing.
  public static func detach() throws {
    try tell("none")
  }

  /// Brings it back.
  public static func attach() throws {
    try tell("rescan")
  }

  /// Tells the kernel what to do with each PS/2 port.
  private static func tell(_ order: String) throws {
    for port in ports {
      let control = "/sys/bus/serio/devices/\(port)/drvctl"
      try order.write(toFile: control, atomically: false, encoding: .utf8)
    }
  }
}
