import Debounce

/// What the daemon does with which device.
public struct Settings: Equatable, Sendable {
  /// The rules of every device without a file of its own.
  public var rules: Rules
  /// What the device files say.
  public var devices: [DeviceSettings]

  public init(rules: Rules, devices: [DeviceSettings] = []) {
    self.rules = rules
    self.devices = devices
  }

  /// What holds without any file: `adaptive` with a threshold of 25 ms on every key.
  public static let packaged = Settings(
    rules: Rules(strategy: StrategyChoice.packaged.strategy, flush: .modifiers))

  /// What the device file says that matches the device best; `nil` if none matches.
  ///
  /// - Throws: ``DeviceTie`` if several match equally well.
  public func device(for identity: DeviceIdentity) throws(DeviceTie) -> DeviceSettings? {
    let matching = devices.filter { $0.pattern.matches(identity) }
    guard let best = matching.map(\.pattern.specificity).max() else { return nil }
    let winners = matching.filter { $0.pattern.specificity == best }
    guard winners.count == 1 else {
      throw DeviceTie(name: identity.name, files: winners.map(\.file))
    }
    return winners[0]
  }

  /// The rules for the device.
  ///
  /// - Throws: ``DeviceTie`` if several device files match equally well.
  public func rules(for identity: DeviceIdentity) throws(DeviceTie) -> Rules {
    try device(for: identity)?.rules ?? rules
  }
}

/// What one device file says.
public struct DeviceSettings: Equatable, Sendable {
  /// The file.
  public var file: String
  /// Which devices it is about.
  public var pattern: DevicePattern
  /// Whether these devices are to be left alone.
  public var isIgnored: Bool
  /// The rules of its devices.
  public var rules: Rules

  public init(file: String, pattern: DevicePattern, isIgnored: Bool = false, rules: Rules) {
    self.file = file
    self.pattern = pattern
    self.isIgnored = isIgnored
    self.rules = rules
  }
}

/// Several device files match a device equally well.
public struct DeviceTie: Error, Equatable, CustomStringConvertible {
  public let name: String
  public let files: [String]

  public var description: String {
    """
    several files match “\(name)” equally well: \(files.joined(separator: ", ")); \
    expected one that says more about it in its [device] than the others
    """
  }
}
