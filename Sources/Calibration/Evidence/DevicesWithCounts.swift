import Devices
import Status
import TerminalText

/// The devices of which the service has counted strokes and chatter.
public enum DevicesWithCounts {
  /// The devices in what `keydebounce status --json` has written, or in a file in which the service stores counts.
  ///
  /// - Throws: ``CountsError/otherFile(_:)`` if the text is neither.
  public static func all(
    in bytes: [UInt8], of file: String
  ) throws(CountsError) -> [DeviceStatus] {
    if let status = try? StatusJSON.decode(DaemonStatus.self, from: bytes) { return status.devices }
    guard let stored = try? StatusJSON.decode(StoredCounts.self, from: bytes) else {
      throw .otherFile(file)
    }
    return [
      DeviceStatus(
        node: "", device: stored.device, state: .leaving, file: nil, strategy: "", ownKeys: 0,
        counts: DeviceCounts(keys: stored.keys))
    ]
  }

  /// The device that is meant.
  ///
  /// - Parameters:
  ///   - name: Its node, or a part of its name; `nil` for the only one.
  ///   - path: Where the name leads if it is a path with links.
  public static func named(
    _ name: String?, leadingTo path: String?, among devices: [DeviceStatus]
  ) throws(CountsError) -> DeviceStatus {
    let meant = devices.filter { device in
      guard let name else { return true }
      return device.node == name || device.node == "/dev/input/\(name)" || device.node == path
        || device.device.name.lowercased().contains(name.lowercased())
    }
    guard let device = meant.first else { throw .none(name: name) }
    guard meant.count == 1 else {
      throw .several(meant.map { "\($0.device.name) (\($0.node))" })
    }
    return device
  }
}

/// Why it is not clear whose counts are meant.
public enum CountsError: Error, Equatable, CustomStringConvertible {
  case none(name: String?)
  case several([String])
  /// The file holds no counts.
  case otherFile(String)

  public var description: String {
    switch self {
    case .none(let name?):
      "nothing was counted of a device that is called or named “\(name.printable)”; “keydebounce status” shows those"
    case .none(nil):
      "the service debounces no device; “keydebounce list” shows what is done with each, and why"
    case .several(let names):
      "several devices were counted; name one:\n"
        + names.map { "  \($0.printable)" }.joined(separator: "\n")
    case .otherFile(let file):
      "\(file.printable) is neither what “keydebounce status --json” writes nor a file of stored counts"
    }
  }
}
