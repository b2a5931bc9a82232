import Debounce
import EventDevices
import Glibc
import SystemPackage

/// The folders from which settings are read, or one file.
///
/// In each folder may stand `keydebounce.toml`, which holds for every device, and three folders of files: those in
/// `keydebounce.toml.d` refine it, those in `devices.d` are about some devices, and `keydebounce calibrate` writes those in
/// `calibrated.d`. Of two files of one name the later folder's is read; one that is empty, or a link to `/dev/null`, stands
/// for none at all.
public struct ConfigurationPlaces: Sendable {
  let paths: [String]
  let mayBeMissing: Bool
  /// The one of them that is read only if it is root's, and others may not write to it.
  let rootsAlone: String?

  /// The vendor's, those until the next start, and the administrator's.
  ///
  /// The service had a folder in `/run` under this name once: what it writes, root's commands must not read.
  public static let system = ConfigurationPlaces(
    ["/usr/lib/keydebounce", "/run/keydebounce", "/etc/keydebounce"],
    rootsAlone: "/run/keydebounce")

  init(_ paths: [String], rootsAlone: String? = nil) {
    (self.paths, self.rootsAlone, mayBeMissing) = (paths, rootsAlone, true)
  }

  /// - Parameters:
  ///   - path: A folder, a device file, or a `keydebounce.toml`.
  ///   - mayBeMissing: Whether the path may be missing: then ``Settings/packaged`` holds.
  public init(_ path: String, mayBeMissing: Bool = false) {
    let path = path.hasSuffix("/") && path.count > 1 ? String(path.dropLast()) : path
    (paths, self.mayBeMissing, rootsAlone) = ([path], mayBeMissing, nil)
  }

  /// The last folder, or the file: where commands write.
  public var path: String { paths.last ?? "" }
}

/// Reading the configuration from the file system.
extension LoadedSettings {
  /// The name of the file that holds for every device.
  static let defaultsFile = "keydebounce.toml"
  /// The folders of files.
  static let folders = (
    defaults: "keydebounce.toml.d", devices: "devices.d", calibrations: "calibrated.d"
  )

  /// Reads the settings.
  ///
  /// - Parameters:
  ///   - toleratesBrokenDevices: Whether files in `devices.d` and `calibrated.d` may be wrong. What is wrong is in
  ///     ``errors`` then; the devices that they are about have ``DeviceSettings/brokenFile``, as far as that can be told.
  ///   - change: A file in place of one that is there, or that is not to be there.
  /// - Throws: ``ConfigurationErrors`` with everything that is wrong.
  public init(
    readingFrom places: ConfigurationPlaces, toleratesBrokenDevices: Bool = false,
    with change: FileChange? = nil
  ) throws(ConfigurationErrors) {
    var reading = Reading(change: change)
    reading.read(places)
    let errors = reading.findings.filter { $0.severity == .error }
    guard errors.isEmpty || toleratesBrokenDevices && !reading.isFatal else {
      throw ConfigurationErrors(reading.findings)
    }
    settings = Settings(
      rules: Rules(strategy: reading.defaults.choice.strategy, flush: reading.defaults.flush),
      devices: reading.devices, calibrations: reading.calibrations,
      panicChord: reading.defaults.panicChord, grabAfter: reading.defaults.grabAfter,
      cloneName: reading.defaults.cloneName, claimsLinks: reading.defaults.claimsLinks)
    files = reading.files
    unread = reading.unread
    self.errors = errors
    warnings = reading.findings.filter { $0.severity == .warning }
    mentions = reading.mentions
    defaultChord = reading.defaultChord
  }

  /// Reads one folder, or one file.
  public init(readingFrom path: String, mayBeMissing: Bool = false) throws(ConfigurationErrors) {
    try self.init(readingFrom: ConfigurationPlaces(path, mayBeMissing: mayBeMissing))
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

/// A file as it would be if somebody wrote it, or deleted it.
public struct FileChange: Sendable {
  public let path: String
  /// Its text; `nil` if there is to be none.
  public let text: String?

  public init(of path: String, to text: String?) {
    (self.path, self.text) = (path, text)
  }
}

/// What has been read so far, and what is wrong with it.
private struct Reading {
  let change: FileChange?
  var defaults = Defaults()
  var defaultChord: (file: String, keys: [Mentions.Key])?
  var devices: [DeviceSettings] = []
  var calibrations: [DeviceSettings] = []
  var files: [String] = []
  var unread: [(file: String, reason: String)] = []
  var mentions: [String: Mentions] = [:]
  var findings: [Problem] = []
  /// Whether there is one place: then it was asked for.
  var isAlone = false
  /// Whether it is not about device files alone that something is wrong.
  var isFatal = false

  init(change: FileChange?) { self.change = change }

  mutating func read(_ places: ConfigurationPlaces) {
    isAlone = places.paths.count == 1
    let folders = places.paths.filter { isFolder($0, of: places) }
    readDefaults(folders.map { "\($0)/\(LoadedSettings.defaultsFile)" })
    for path in paths(in: LoadedSettings.folders.defaults, of: folders) { readDefaults(path) }
    for path in paths(in: LoadedSettings.folders.devices, of: folders) { devices += device(path) }
    for path in paths(in: LoadedSettings.folders.calibrations, of: folders) {
      calibrations += device(path)
    }
    devices = findTies(among: devices)
    calibrations = findTies(among: calibrations)
  }

  /// Whether the path is that of a folder that is to be read. A single file is read at once.
  private mutating func isFolder(_ path: String, of places: ConfigurationPlaces) -> Bool {
    switch FileKind(of: path) {
    case .missing where places.mayBeMissing: return true
    case .missing:
      isFatal = true
      report(
        path,
        "is not there; expected a folder with \(LoadedSettings.defaultsFile) and "
          + "\(LoadedSettings.folders.devices)/*.toml in it, or one such file")
    case .folder where path == places.rootsAlone && !isRootsAlone(path):
      report(
        path, "is not read: it is not root's, or others may write to it; delete it",
        severity: .warning)
    case .folder where !mayEnter(path):
      isFatal = isAlone
      report(path, "\(UnreadableFile(path, reason: EACCES))")
    case .folder:
      warnOfStrays(in: path)
      return true
    case _ where !isAlone:
      report(path, "is a file; expected a folder")
    default:
      if path.split(separator: "/").last == LoadedSettings.defaultsFile[...] {
        readDefaults(path)
      } else {
        devices = device(path)
        isFatal = findings.contains { $0.severity == .error }
      }
    }
    return false
  }

  /// Reads the last of the files that hold for every device, if there is one.
  private mutating func readDefaults(_ paths: [String]) {
    let present = paths.filter { FileKind(of: $0) != .missing }
    if let path = chosen(among: present) { readDefaults(path) }
  }

  private mutating func readDefaults(_ path: String) {
    do throws(UnreadableFile) {
      let bytes = try bytes(of: path)
      files.append(path)
      guard var reader = reader(of: path, bytes) else {
        isFatal = true
        return
      }
      defaults = reader.defaults(refining: defaults)
      if !reader.mentions.chord.isEmpty { defaultChord = (path, reader.mentions.chord) }
      findings += reader.findings
      if reader.findings.contains(where: { $0.severity == .error }) { isFatal = true }
    } catch {
      // No mode of a file has every keyboard left alone.
      if !error.isDenied || isAlone { isFatal = true }
      report(path, "\(error)")
    }
  }

  /// The last of the files of one name, if it is none that stands for nothing.
  private mutating func chosen(among paths: [String]) -> String? {
    guard let last = paths.last else { return nil }
    for path in paths.dropLast() { unread.append((path, "\(last) takes its place")) }
    guard !standsForNothing(last) else {
      unread.append((last, "empty, or a link to /dev/null: nothing of this name is read"))
      return nil
    }
    return last
  }

  /// The files in the folders of one name that are to be read, by their own names.
  private mutating func paths(in subfolder: String, of folders: [String]) -> [String] {
    var paths: [String: [String]] = [:]
    for folder in folders {
      for name in fileNames(in: "\(folder)/\(subfolder)") {
        paths[name, default: []].append("\(folder)/\(subfolder)/\(name)")
      }
    }
    return paths.sorted { $0.key < $1.key }.compactMap { chosen(among: $0.value) }
  }

  /// Reads a device file.
  ///
  /// - Returns: Its settings; nothing if it cannot be told which devices it is about.
  private mutating func device(_ path: String) -> [DeviceSettings] {
    let known = findings.count
    var settings: DeviceSettings?
    do throws(UnreadableFile) {
      let bytes = try bytes(of: path)
      files.append(path)
      if var reader = reader(of: path, bytes) {
        settings = reader.device(refining: defaults)
        mentions[path] = reader.mentions
        findings += reader.findings
      } else if let line = findings.last?.line, var start = TableReader(path, bytes, before: line) {
        settings = start.device(refining: defaults)
      }
    } catch {
      report(path, "\(error)")
    }
    guard findings[known...].contains(where: { $0.severity == .error }) else {
      return settings.map { [$0] } ?? []
    }
    settings?.brokenFile = path
    return (settings?.pattern.tellsDevices ?? false) ? settings.map { [$0] } ?? [] : []
  }

  /// Finds files whose patterns are the same: whatever matches one matches the other as well.
  ///
  /// - Returns: The files, without those between which it could not be decided for any device.
  private mutating func findTies(among devices: [DeviceSettings]) -> [DeviceSettings] {
    var kept: [DeviceSettings] = []
    for (index, device) in devices.enumerated() {
      guard let other = devices[..<index].first(where: { $0.pattern == device.pattern }) else {
        kept.append(device)
        continue
      }
      if device.pattern.tellsDevices { kept.append(device) }
      report(
        device.file, at: mentions[device.file]?.pattern,
        device.pattern.isEmpty
          ? "matches every device, and so does \(other.file); expected one such file at most"
          : "matches the same devices as \(other.file); expected one file for them, or one that says "
            + "more about them in its [device]")
    }
    return kept
  }

  private mutating func report(
    _ file: String, at place: SourcePlace? = nil, _ message: String,
    severity: Problem.Severity = .error
  ) {
    findings.append(
      Problem(.file, severity: severity, file: file, place: place, message: message))
  }
}

// MARK: - Files

extension Reading {
  /// The longest file that can be a configuration.
  private static let longest = 1 << 20

  /// The names of the files in a folder that are read, sorted; others that were probably meant to be are warned of.
  private mutating func fileNames(in folder: String) -> [String] {
    var names: [String] = []
    switch FileKind(of: folder) {
    case .missing: break
    case .file, .pipeOrDevice: report(folder, "is a file; expected a folder of device files")
    default:
      for name in self.names(in: folder) {
        if name.hasSuffix(".toml") {
          names.append(name)
        } else if Self.isMeant(name) || !name.contains(".") && name != "README" {
          warnOfUnread("\(folder)/\(name)", "expected a name that ends in “.toml”")
        }
      }
    }
    if let change, let slash = change.path.lastIndex(of: "/"), change.path[..<slash] == folder {
      let name = String(change.path[change.path.index(after: slash)...])
      names.removeAll { $0 == name }
      if change.text != nil { names.append(name) }
    }
    return names.sorted()
  }

  /// Whether a file of this name was probably meant to be read. Those that editors and package managers leave beside
  /// it (`10.toml~`, `10.toml.dpkg-old`) were not.
  private static func isMeant(_ name: String) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return false }
    return ["toml", "tml", "conf", "cfg", "ini", "yaml", "yml", "json"]
      .contains(name[name.index(after: dot)...].lowercased())
  }

  /// Warns of device files that stand beside `devices.d`, and of folders in which nothing is read.
  private mutating func warnOfStrays(in folder: String) {
    let known = LoadedSettings.folders
    for name in names(in: folder) where name != LoadedSettings.defaultsFile {
      let path = "\(folder)/\(name)"
      switch FileKind(of: path) {
      case .file where Self.isMeant(name):
        warnOfUnread(
          path, "expected “\(LoadedSettings.defaultsFile)” here, and device files in devices.d")
      case .folder where ![known.defaults, known.devices, known.calibrations].contains(name):
        warnOfUnread(
          path, "expected a folder \(known.devices), \(known.calibrations) or \(known.defaults)")
      default: break
      }
    }
  }

  private mutating func warnOfUnread(_ path: String, _ expected: String) {
    report(path, "is not read; \(expected)", severity: .warning)
  }

  /// The names in a folder, sorted, without those that are hidden.
  private mutating func names(in folder: String) -> [String] {
    do {
      return try entries(of: folder).filter { !$0.hasPrefix(".") }.sorted()
    } catch {
      report(
        folder, "\(UnreadableFile(folder, reason: error.rawValue, expected: "a folder"))")
      return []
    }
  }

  /// Whether it is empty, or a link to `/dev/null`.
  private func standsForNothing(_ path: String) -> Bool {
    if let change, change.path == path { return change.text?.isEmpty ?? true }
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    return switch status.st_mode & S_IFMT {
    case S_IFREG: status.st_size == 0
    // The number of /dev/null.
    case S_IFCHR: status.st_rdev == 0x103
    default: false
    }
  }

  private func bytes(of path: String) throws(UnreadableFile) -> [UInt8] {
    if let change, change.path == path { return Array((change.text ?? "").utf8) }
    return try contents(of: path, upTo: Self.longest)
  }

  private mutating func reader(of path: String, _ bytes: [UInt8]) -> TableReader? {
    do {
      return TableReader(try TOMLDocument(file: path, bytes: bytes))
    } catch {
      findings += error.findings
      return nil
    }
  }
}

extension TableReader {
  /// Reads what stands before a line that is no TOML; `nil` if that is none either.
  fileprivate init?(_ file: String, _ bytes: [UInt8], before line: Int) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let start = lines.prefix(line - 1).joined(separator: [UInt8(ascii: "\n")])
    guard let document = try? TOMLDocument(file: file, bytes: Array(start)) else { return nil }
    self.init(document)
  }
}

extension DevicePattern {
  /// Whether it tells some devices from others: it has a number, or text besides wildcards.
  fileprivate var tellsDevices: Bool {
    vendor != nil || product != nil || version != nil || specificity.characters > 0
  }
}
