import Foundation

/// A configuration of a test's own: a folder that is gone when the test is.
public final class ConfigurationFolder {
  public let path = "/tmp/configuration-\(UUID().uuidString)"

  /// Makes one with what holds for every device, and with a device file, if these are given.
  public init(defaults: String? = nil, device: String? = nil) throws {
    try FileManager.default.createDirectory(
      atPath: path + "/devices.d", withIntermediateDirectories: true)
    if let defaults { try write(defaults: defaults) }
    if let device { try write(device: "10-test.toml", device) }
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
