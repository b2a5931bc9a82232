import Foundation

/// A configuration of a test's own: a folder that is gone when the test is.
public final class ConfigurationFolder {
  public let path = "/tmp/configuration-\(UUID().uuidString)"

  public init() throws {
    try FileManager.default.createDirectory(
      atPath: path + "/devices.d", withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Writes the file that holds for every device.
  public func write(defaults text: String) throws {
    try text.write(toFile: path + "/keydebounce.toml", atomically: true, encoding: .utf8)
  }

  /// Writes a device file.
  public func write(device name: String, _ text: String) throws {
    try text.write(toFile: path + "/devices.d/\(name)", atomically: true, encoding: .utf8)
  }
}
