import Foundation

/// A folder of a test's own, which is gone when the test is.
public final class TemporaryFolder {
  public let path = "/tmp/keydebounce-test-\(UUID().uuidString)"

  public init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The names of what is in it, in order.
  public func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }
}

/// A configuration of a test's own.
public final class ConfigurationFolder {
  private let folder: TemporaryFolder
  public var path: String { folder.path }

  /// Makes one with what holds for every device, and with a device file, if these are given.
  public init(defaults: String? = nil, device: String? = nil) throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: path + "/devices.d", withIntermediateDirectories: true)
    if let defaults { try write(defaults: defaults) }
    if let device { try write(device: "10-test.toml", device) }
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
