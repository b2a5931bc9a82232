import Foundation
import Glibc

/// The node to which a link leads; `nil` if there is no such link, or nothing where it leads.
public func target(of link: String) -> String? {
  realpath(link, nil).map { path in
    defer { free(path) }
    return String(cString: path)
  }
}

/// A rule of udev's, for as long as this lives.
public final class UdevRule {
  private static let folder = "/run/udev/rules.d"

  private let path = "\(folder)/91-test-\(UUID().uuidString).rules"

  /// Has udev follow the rule from now on.
  ///
  /// - Parameter rule: Its line, or several.
  public init(_ rule: String) throws {
    try FileManager.default.createDirectory(
      atPath: Self.folder, withIntermediateDirectories: true)
    try (rule + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    _ = try Command(program: "/bin/udevadm", ["control", "--reload"])
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    _ = try? Command(program: "/bin/udevadm", ["control", "--reload"])
  }
}

/// The rules of udev's that are installed with the daemon, and if need be with libinput, for as long as this lives.
public final class PackagedRules {
  private let folder = "/run/udev/rules.d"
  /// What the rules of the daemon call.
  private let program = "/usr/lib/udev/keydebounce-clone"

  public init(withLibinput: Bool = false) throws {
    let files = FileManager.default
    for path in [folder, program] { try? files.removeItem(atPath: path) }
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let payload = URL(fileURLWithPath: DaemonProcess.fixtures).deletingLastPathComponent().path
    try files.copyItem(atPath: payload + "/udev-rules/keydebounce-clone", toPath: program)
    // Where the guest keeps libinput's, out of the way.
    for source in [payload + "/udev-rules"] + (withLibinput ? ["/usr/libexec/libinput"] : []) {
      for name in try files.contentsOfDirectory(atPath: source) where name.hasSuffix(".rules") {
        try files.copyItem(atPath: "\(source)/\(name)", toPath: "\(folder)/\(name)")
      }
    }
    _ = try Command(program: "/bin/udevadm", ["control", "--reload"])
  }

  deinit {
    for path in [folder, program] { try? FileManager.default.removeItem(atPath: path) }
    _ = try? Command(program: "/bin/udevadm", ["control", "--reload"])
  }
}
