import Foundation

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
