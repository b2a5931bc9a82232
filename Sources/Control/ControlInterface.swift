import Status

/// The daemon's interface: its names, its methods, and who may call them. `io.github.keydebounce.Daemon.varlink` describes it.
public enum ControlInterface {
  public static let name = "io.github.keydebounce.Daemon"

  /// The folder of the socket, of the service's lock, and of the marks of its clones.
  public static let folder = "/run/keydebounce-daemon"

  /// The group whose members may connect.
  public static let group = "keydebounce"

  /// The socket in a daemon's folder.
  public static func socket(in folder: String = folder) -> String { "\(folder)/\(name)" }

  /// The interface in Varlink's own language.
  public static var description: String {
    String(decoding: PackageResources.io_github_keydebounce_Daemon_varlink, as: UTF8.self)
  }

  /// The interface of every Varlink service, in the same language.
  public static var serviceDescription: String {
    String(decoding: PackageResources.org_varlink_service_varlink, as: UTF8.self)
  }
}

/// A method of the daemon's interface.
public enum ControlMethod: String, CaseIterable, Sendable {
  case devices = "Devices"
  case status = "Status"
  case history = "History"
  case pause = "Pause"
  case resume = "Resume"
  case reload = "Reload"
  case reset = "Reset"
  case watch = "Watch"

  /// Whether members of the group may call it, besides root: it tells nothing of keys.
  public var isForGroup: Bool {
    switch self {
    case .devices, .pause, .resume, .reload: true
    case .status, .history, .reset, .watch: false
    }
  }

  /// The parameters that it knows, and whether each must be given.
  public var parameters: [(name: String, isNeeded: Bool)] {
    switch self {
    case .devices, .status, .reload: []
    case .history, .watch: [("device", true)]
    case .pause: [("device", false), ("seconds", false)]
    case .resume: [("device", false)]
    case .reset: [("device", true), ("key", false)]
    }
  }

  /// The name with which it is called.
  public var fullName: String { "\(ControlInterface.name).\(rawValue)" }
}

/// An error with which the daemon answers a call.
public enum ControlRefusal: String, CaseIterable, Sendable {
  case notHeld = "NotHeld"
  case noSuchKey = "NoSuchKey"
  case notAllowed = "NotAllowed"
  case notStored = "NotStored"
  case tooMany = "TooMany"
  case busy = "Busy"

  /// The name with which it is answered.
  public var fullName: String { "\(ControlInterface.name).\(rawValue)" }
}

// MARK: - Messages

/// The byte that ends each message.
public let endOfMessage: UInt8 = 0

/// A call, as Varlink writes it.
public struct ControlCall: Codable, Equatable, Sendable {
  public var method: String
  public var parameters: [String: ControlValue]?
  /// Whether the caller wants no answer.
  public var oneway: Bool?
  /// Whether the connection is the method's own after the answer.
  public var upgrade: Bool?

  public init(
    _ method: String, _ parameters: [String: ControlValue] = [:], upgrade: Bool = false
  ) {
    self.method = method
    self.parameters = parameters.isEmpty ? nil : parameters
    self.upgrade = upgrade ? true : nil
  }
}

/// The value of a parameter. The daemon takes texts and whole numbers; nothing else is kept.
public enum ControlValue: Codable, Equatable, Sendable {
  case text(String)
  case number(Int)
  case null
  case other

  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    self =
      if value.decodeNil() {
        .null
      } else if let text = try? value.decode(String.self) {
        .text(text)
      } else if let number = try? value.decode(Int.self) {
        .number(number)
      } else {
        .other
      }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .null, .other: try container.encodeNil()
    }
  }
}

/// An answer, as Varlink writes it: the parameters of a method, or an error and its parameters.
public struct ControlAnswer<Parameters> {
  public var error: String?
  public var parameters: Parameters?

  public init(_ parameters: Parameters, error: String? = nil) {
    (self.error, self.parameters) = (error, parameters)
  }
}

extension ControlAnswer: Encodable where Parameters: Encodable {
  /// The bytes that are sent.
  public var message: [UInt8] {
    // No answer fails to be encoded.
    ((try? StatusJSON.encode(self)) ?? Array("{}".utf8)) + [endOfMessage]
  }
}
extension ControlAnswer: Decodable where Parameters: Decodable {}

/// The parameters of the answers. Each answer has at most one of them.
public struct ControlParameters: Codable, Sendable {
  public var devices: [ControlledDevice]?
  public var status: DaemonStatus?
  /// The counts of a device on each day, as `StoredDays` writes them.
  public var days: String?
  /// The errors of the configuration, a line each.
  public var problems: [String]?
  /// Words about an error of the daemon's.
  public var text: String?

  public init(
    devices: [ControlledDevice]? = nil, status: DaemonStatus? = nil, days: String? = nil,
    problems: [String]? = nil, text: String? = nil
  ) {
    (self.devices, self.status, self.days) = (devices, status, days)
    (self.problems, self.text) = (problems, text)
  }
}

/// A device that the daemon has taken, as far as members of the group may know: nothing here tells of keys.
public struct ControlledDevice: Codable, Equatable, Sendable {
  public enum State: String, Codable, CaseIterable, Sendable {
    case debounced
    /// Another program has grabbed the device.
    case busy
  }

  /// The event node, such as `/dev/input/event3`.
  public var node: String
  public var name: String
  public var state: State
  public var paused: Bool
  /// The end of the pause in seconds since 1970; `nil` if it has none, or there is no pause.
  public var pausedUntil: Int?

  public init(node: String, name: String, state: State, paused: Bool, pausedUntil: Int? = nil) {
    (self.node, self.name, self.state) = (node, name, state)
    (self.paused, self.pausedUntil) = (paused, pausedUntil)
  }
}
