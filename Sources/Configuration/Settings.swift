import Debounce
import EventDevices

/// The settings of one device: one value, from the parser to the engine.
public struct EffectiveSettings: Equatable, Sendable {
  public var rules = Rules()
  /// The thresholds that the configuration gives for the device and for single keys, in microseconds. A strategy whose
  /// parameters the configuration gives does not keep its threshold.
  public var threshold: Microseconds?
  public var keyThresholds: [KeyCode: Microseconds] = [:]
  /// The device file of these settings; `nil` if no file is about the device.
  public var file: String?
  /// The keys that make the daemon let go of every device when they are held together.
  public var panicChord = Settings.packagedPanicChord
  /// The longest wait for keys to come up before the device is grabbed with them down, in microseconds; `nil` for no limit.
  public var grabAfter: Microseconds?
  public var cloneName = CloneName(template: CloneName.placeholder)
  /// Whether the clone gets the links in `/dev/input` that lead to the device.
  public var claimsLinks = false
}

@dynamicMemberLookup
public struct Settings: Equatable, Sendable {
  /// The settings of every device without a file of its own.
  public var defaults = EffectiveSettings()
  public var devices: [DeviceSettings] = []
  /// The settings that calibration found, for keys that the device files do not name.
  public var calibrations: [DeviceSettings] = []

  public subscript<Value>(dynamicMember path: KeyPath<EffectiveSettings, Value>) -> Value {
    defaults[keyPath: path]
  }

  /// The settings without any file: `adaptive` with a threshold of 25 ms on every key.
  public static let packaged = Settings()

  /// `KEY_BACKSPACE`, `KEY_ESC` and `KEY_ENTER`.
  static let packagedPanicChord: [KeyCode] = [14, 1, 28]

  /// The panic chord on a keyboard that has these keys: the chosen one, or the usual one if the keyboard lacks keys of it.
  public static func panicChord(_ chosen: [KeyCode], on keys: KeySet) -> [KeyCode] {
    chosen.allSatisfy(keys.contains) ? chosen : packagedPanicChord
  }

  /// The settings for the device: those of the device file that matches best, and the calibration's for keys that this file
  /// does not name; `nil` if there is neither.
  ///
  /// - Throws: ``DeviceTie`` if several files match equally well.
  public func device(for device: DeviceDescription) throws(DeviceTie) -> DeviceSettings? {
    let written = try Self.best(of: devices, for: device)
    guard let calibration = try Self.best(of: calibrations, for: device),
      written?.isIgnored != true
    else { return written }
    guard var settings = written else { return calibration }
    settings.calibration = calibration.file
    settings.brokenFile = settings.brokenFile ?? calibration.brokenFile
    settings.includesVirtual = settings.includesVirtual || calibration.includesVirtual
    for (key, meanings) in calibration.rules.meanings where settings.rules.keys[key] == nil {
      settings.rules.meanings[key] = meanings
    }
    for (key, threshold) in calibration.keyThresholds where settings.rules.keys[key] == nil {
      settings.effective.keyThresholds[key] = threshold
    }
    settings.rules.keys.merge(calibration.rules.keys) { written, _ in written }
    return settings
  }

  private static func best(
    of devices: [DeviceSettings], for device: DeviceDescription
  ) throws(DeviceTie) -> DeviceSettings? {
    let matching = devices.filter { $0.pattern.matches(device) }
      .sorted { $0.pattern.specificity > $1.pattern.specificity }
    let winners = matching.prefix { $0.pattern.specificity == matching[0].pattern.specificity }
    guard winners.count < 2 else {
      throw DeviceTie(name: device.name, files: winners.map(\.file))
    }
    return winners.first
  }
}

/// The settings of one device file.
@dynamicMemberLookup
public struct DeviceSettings: Equatable, Sendable {
  public var effective: EffectiveSettings
  public var pattern = DevicePattern()
  public var isIgnored = false
  /// Whether devices that other programs have made are taken, too. interception-tools and others copy the name and numbers of
  /// a device, and the daemon would take the copy in addition to the device.
  var includesVirtual = false
  /// The file of the calibration for keys that ``file`` does not name; `nil` if there is none.
  public var calibration: String?
  /// The file whose errors make the daemon leave these devices alone; `nil` if there are no errors.
  public var brokenFile: String?

  public var file: String { effective.file ?? "" }

  public subscript<Value>(dynamicMember path: WritableKeyPath<EffectiveSettings, Value>) -> Value {
    get { effective[keyPath: path] }
    set { effective[keyPath: path] = newValue }
  }
}

/// The name of a device's clone, by which other programs can tell it from its source.
public struct CloneName: Equatable, Sendable {
  /// The part of the template that the source's name replaces.
  static let placeholder = "%s"
  /// The longest name that the kernel takes, in bytes of UTF-8.
  static let longest = 79

  /// The source's own name is the default, by which desktops find their settings for the device.
  let template: String

  /// The clone's name, with as much of the source's name as there is room for.
  public func name(forSource name: String) -> String {
    let parts = template.split(
      separator: Self.placeholder, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return template }
    let room = Self.longest - parts[0].utf8.count - parts[1].utf8.count
    var name = Substring(name)
    while !name.isEmpty, name.utf8.count > room { name.removeLast() }
    return "\(parts[0])\(name)\(parts[1])"
  }
}
