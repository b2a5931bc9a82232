import EventDevices
import Foundation
import TestMachine

/// The clones that there are, as the kernel lists them: unlike udev, it does so at once.
enum Clones {
  /// Their names.
  static func present() throws -> [String] {
    let folder = "/sys/devices/virtual/input"
    return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { input in
      // It may go while we look.
      guard let phys = try? String(contentsOfFile: "\(folder)/\(input)/phys", encoding: .utf8),
        phys.hasPrefix("keydebounce/"),
        let name = try? String(contentsOfFile: "\(folder)/\(input)/name", encoding: .utf8)
      else { return nil }
      return name.trimmingCharacters(in: .newlines)
    }
  }

  /// Waits until there is none: the daemon makes the kernel take them away on a thread of its own, one after the other.
  static func waitUntilGone() throws {
    try wait(for: "the clones to go: \(present())") { try present().isEmpty }
  }
}
