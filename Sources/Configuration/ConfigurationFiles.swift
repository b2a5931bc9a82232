import Debounce
import Files
import Glibc
import SystemPackage

/// Reading the configuration from the file system.
extension LoadedSettings {
  /// The name of the file that holds for every device, and that of the folder with those about one.
  private static let defaultsFile = "keydebounce.toml"
  private static let devicesFolder = "devices.d"
  /// The name of the folder in which `keydebounce calibrate` writes.
  private static let calibrationsFolder = "calibrated.d"

  /// Reads a configuration folder (`keydebounce.toml`, `devices.d/*.toml` and `calibrated.d/*.toml`, each of which may
  /// be missing), or one file: a device file, or a `keydebounce.toml`.
  ///
  /// - Parameter mayBeMissing: Whether the path may be missing: then ``Settings/packaged`` holds.
  /// - Throws: ``ConfigurationErrors`` with everything that is wrong.
  public init(
    readingFrom path: String, mayBeMissing: Bool = false
  ) throws(ConfigurationErrors) {
    var reading = Reading()
    switch FileKind(of: path) {
    case .missing where mayBeMissing:
      break
    case .missing:
      reading.findings.append(
        Problem(
          .file, file: path,
          message: "is not there; expected a folder with \(Self.defaultsFile) and "
            + "\(Self.devicesFolder)/*.toml in it, or one such file"))
    case .folder where !mayEnter(path):
      let reason = UnreadableFile(path, reason: EACCES)
      reading.findings.append(Problem(.file, file: path, message: "\(reason)"))
    case .folder:
      let folder = path.hasSuffix("/") ? path : path + "/"
      reading.readDefaults(folder + Self.defaultsFile)
      reading.warnOfStrays(in: path, folder)
      reading.devices = reading.devices(in: folder + Self.devicesFolder)
      reading.calibrations = reading.devices(in: folder + Self.calibrationsFolder)
    default:
      if path.split(separator: "/").last == Self.defaultsFile[...] {
        reading.readDefaults(path)
      } else {
        reading.devices = reading.device(path)
      }
    }
    reading.findTies(among: reading.devices)
    reading.findTies(among: reading.calibrations)
    guard reading.findings.allSatisfy({ $0.severity == .warning }) else {
      throw ConfigurationErrors(reading.findings)
    }
    settings = Settings(
      rules: Rules(strategy: reading.defaults.choice.strategy, flush: reading.defaults.flush),
      devices: reading.devices, calibrations: reading.calibrations,
      panicChord: reading.defaults.panicChord, grabAfter: reading.defaults.grabAfter,
      cloneName: reading.defaults.cloneName, claimsLinks: reading.defaults.claimsLinks)
    files = reading.files
    warnings = reading.findings
    mentions = reading.mentions
  }
}

extension Settings {
  /// Reads the settings alone, as ``LoadedSettings/init(readingFrom:mayBeMissing:)`` does.
  public init(
    readingFrom path: String, mayBeMissing: Bool = false
  ) throws(ConfigurationErrors) {
    self = try LoadedSettings(readingFrom: path, mayBeMissing: mayBeMissing).settings
  }
}

/// What has been read so far, and what is wrong with it.
private struct Reading {
  var defaults = Defaults()
  var devices: [DeviceSettings] = []
  var calibrations: [DeviceSettings] = []
  var files: [String] = []
  var mentions: [String: Mentions] = [:]
  var findings: [Problem] = []

  /// Reads the file that holds for every device, if there is one.
  mutating func readDefaults(_ path: String) {
    guard FileKind(of: path) != .missing, var reader = reader(of: path) else { return }
    defaults = reader.defaults()
    findings += reader.findings
  }

  /// Reads the device files of a folder, if there is one.
  mutating func devices(in folder: String) -> [DeviceSettings] {
    var devices: [DeviceSettings] = []
    switch FileKind(of: folder) {
    case .missing: break
    case .file, .pipeOrDevice:
      findings.append(
        Problem(.file, file: folder, message: "is a file; expected a folder of device files"))
    default:
      for name in names(in: folder) {
        let path = "\(folder)/\(name)"
        if name.hasSuffix(".toml") {
          devices += device(path)
        } else if isMeant(name) {
          findings.append(
            Problem(
              .file, severity: .warning, file: path,
              message: "is not read; expected a name that ends in “.toml”"))
        }
      }
    }
    return devices
  }

  /// Reads a device file.
  ///
  /// - Returns: Its settings; nothing if it cannot be read.
  mutating func device(_ path: String) -> [DeviceSettings] {
    guard var reader = reader(of: path) else { return [] }
    defer {
      mentions[path] = reader.mentions
      findings += reader.findings
    }
    return [reader.device(refining: defaults)]
  }

  /// Warns of device files that stand beside `devices.d`.
  mutating func warnOfStrays(in folder: String, _ prefix: String) {
    for name in names(in: folder)
    where (name.hasSuffix(".toml") || isMeant(name)) && name != "keydebounce.toml" {
      let path = prefix + name
      guard FileKind(of: path) == .file else { continue }
      findings.append(
        Problem(
          .file, severity: .warning, file: path,
          message: "is not read; expected “keydebounce.toml” here, and device files in devices.d"))
    }
  }

  /// Finds files whose patterns are the same: whatever matches one matches the other as well.
  mutating func findTies(among devices: [DeviceSettings]) {
    for (index, device) in devices.enumerated() {
      guard let other = devices[..<index].first(where: { $0.pattern == device.pattern })
      else { continue }
      let message =
        device.pattern.isEmpty
        ? "matches every device, and so does \(other.file); expected one such file at most"
        : "matches the same devices as \(other.file); expected one file for them, or one that says "
          + "more about them in its [device]"
      findings.append(
        Problem(.file, file: device.file, place: mentions[device.file]?.pattern, message: message))
    }
  }
}

// MARK: - Files

extension Reading {
  /// The longest file that can be a configuration.
  private static let longest = 1 << 20

  /// Whether a file of this name was probably meant to be read. Those that editors and package managers leave beside
  /// it (`10.toml~`, `10.toml.dpkg-old`) were not.
  private func isMeant(_ name: String) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return false }
    return ["toml", "tml", "conf", "cfg", "ini", "yaml", "yml", "json"]
      .contains(name[name.index(after: dot)...].lowercased())
  }

  /// The names in a folder, sorted, without those that are hidden.
  private mutating func names(in folder: String) -> [String] {
    do {
      return try entries(of: folder).filter { !$0.hasPrefix(".") }.sorted()
    } catch {
      let reason = UnreadableFile(folder, reason: error.rawValue, expected: "a folder")
      findings.append(Problem(.file, file: folder, message: "\(reason)"))
      return []
    }
  }

  private mutating func reader(of path: String) -> TableReader? {
    let bytes: [UInt8]
    do {
      bytes = try contents(of: path, upTo: Self.longest)
    } catch {
      findings.append(Problem(.file, file: path, message: "\(error)"))
      return nil
    }
    files.append(path)
    do {
      return TableReader(try TOMLDocument(file: path, bytes: bytes))
    } catch {
      findings += error.findings
      return nil
    }
  }
}
