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
  /// What stands on keys of this system where that is something else than their names say: for advice on wrong names.
  public var labels: @Sendable () -> [KeyCode: String] = { [:] }
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
    var reading = Reading(change: change, labels: places.labels)
    reading.read(places)
    let errors = reading.findings.filter { $0.severity == .error }
    guard errors.isEmpty || toleratesBrokenDevices && !reading.isFatal else {
      throw ConfigurationErrors(reading.findings)
    }
    settings = Settings(
      reading.defaults.effective, devices: reading.devices, calibrations: reading.calibrations)
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
  /// Its bytes; `nil` if there is to be none.
  let bytes: [UInt8]?

  public init(of path: String, to text: String?) {
    (self.path, bytes) = (path, text.map { Array($0.utf8) })
  }

  public init(of path: String, bytes: [UInt8]) {
    (self.path, self.bytes) = (path, bytes)
  }
}

/// What has been read so far, and what is wrong with it.
private struct Reading {
  let change: FileChange?
  let labels: @Sendable () -> [KeyCode: String]
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

  init(change: FileChange?, labels: @escaping @Sendable () -> [KeyCode: String]) {
    (self.change, self.labels) = (change, labels)
  }

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
    case _ where isAlone && change?.path == path: readAlone(path)
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
    default: readAlone(path)
    }
    return false
  }

  /// Reads the one file that was asked for.
  private mutating func readAlone(_ path: String) {
    let hasDefaults = change?.bytes?.split(separator: UInt8(ascii: "\n")).contains {
      String(decoding: $0, as: UTF8.self).withoutBlanksAtEnds.hasPrefix("[defaults]")
    }
    if hasDefaults == true || path.split(separator: "/").last == LoadedSettings.defaultsFile[...] {
      readDefaults(path)
    } else {
      devices = device(path)
      isFatal = findings.contains { $0.severity == .error }
    }
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
      if change.bytes != nil { names.append(name) }
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
    if let change, change.path == path { return change.bytes?.isEmpty ?? true }
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
    if let change, change.path == path { return change.bytes ?? [] }
    guard FileKind(of: path) != .pipeOrDevice else { throw UnreadableFile(path, reason: ENXIO) }
    do {
      return try WholeFile.read(path, upTo: UnreadableFile.longest)
    } catch {
      throw UnreadableFile(path, reason: error.reason.rawValue)
    }
  }

  private mutating func reader(of path: String, _ bytes: [UInt8]) -> TableReader? {
    do {
      var reader = TableReader(try TOMLDocument(file: path, bytes: bytes))
      reader.labels = labels
      return reader
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

/// What stands at a path.
enum FileKind {
  case missing
  case file
  case folder
  case pipeOrDevice
  /// A link to nothing, or something of which reading alone shows what it is.
  case unknown

  init(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      let reason = errno
      if reason == ENOENT {
        self = lstat(path, &status) == 0 ? .unknown : .missing
      } else {
        self = .unknown
      }
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: self = .file
    case S_IFDIR: self = .folder
    default: self = .pipeOrDevice
    }
  }
}

/// Whether the process may look for files in the folder, and list them.
func mayEnter(_ folder: String) -> Bool {
  faccessat(AT_FDCWD, folder, R_OK | X_OK, AT_EACCESS) == 0
}

/// Whether a folder is root's, and nobody else may write to it.
func isRootsAlone(_ folder: String) -> Bool {
  var status = stat()
  return lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == 0
    && status.st_mode & 0o022 == 0
}

/// Why a file or folder cannot be read, and what can be done about it.
struct UnreadableFile: Error, CustomStringConvertible {
  let description: String
  /// Whether it could be read by somebody else.
  var isDenied = false

  /// The longest file that can be a configuration.
  static let longest = 1 << 20
}

extension UnreadableFile {
  /// - Parameter expected: What was expected at the path.
  init(_ path: String, reason: CInt, expected: String = "a file") {
    switch reason {
    case ENOENT where FileKind(of: path) == .unknown:
      description = "is a link to something that is not there; expected \(expected)"
    case ELOOP:
      description = "is a link that leads back to itself; expected \(expected)"
    case EFBIG:
      description =
        "has more than \(Self.longest / 1024) KiB; expected a configuration, which is short"
    case EISDIR:
      description = "is a folder; expected \(expected)"
    // What the kernel says of a socket, too.
    case ENXIO:
      description = "is a pipe or a device; expected \(expected)"
    case EACCES:
      description = "\(Self.reader) may not read it; \(Self.readers(of: path))"
      isDenied = true
    default:
      description = "cannot be read: \(String(cString: strerror(reason)))"
    }
  }

  /// As whom the process reads.
  private static var reader: String {
    let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) }
    return "the user “\(user ?? String(geteuid()))”"
  }

  /// Who may read the file, and what the others can do about it.
  private static func readers(of path: String) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return "expected permission to enter the folders above it"
    }
    let owner = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) }
    let group = getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) }
    var readers = [owner ?? "the user \(status.st_uid)"]
    if status.st_mode & S_IRGRP != 0 {
      readers.append("the group \(group ?? String(status.st_gid))")
    }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    return
      "only \(readers.joined(separator: " and ")) may: let everybody with “chmod a+r\(isFolder ? "x" : "") "
      + "\(path)”"
  }
}

/// Settings as they were read from files, with what messages need: where in the files they stand.
public struct LoadedSettings: Sendable {
  public let settings: Settings
  /// The files, in the order in which they were read.
  public let files: [String]
  /// The files that were not read because of others, and why.
  public let unread: [(file: String, reason: String)]
  /// What is wrong with device files, if that is tolerated.
  public let errors: [Problem]
  /// What is legal in them but unwise, by file and line.
  public let warnings: [Problem]
  /// What each device file mentions, by the file's path.
  let mentions: [String: Mentions]
  /// Where the panic chord stands that holds for every device, if one was chosen.
  let defaultChord: (file: String, keys: [Mentions.Key])?

  /// Where in a device file the lines begin that say which devices it is about; `nil` if it has none.
  public func place(ofPatternIn file: String) -> SourcePlace? { mentions[file]?.pattern }

  /// Device files that match none of the devices, and keys that they name and none of their devices has.
  ///
  /// A keyboard is often several devices: a key that is missing on one of those that a file matches is no mistake
  /// if another has it.
  public func warnings(forDevices present: [DeviceDescription]) -> [Problem] {
    settings.devices.filter { $0.brokenFile == nil }.flatMap { device -> [Problem] in
      let mentions = mentions[device.file] ?? Mentions()
      let matching = present.filter { device.pattern.matches($0) }
      guard !matching.isEmpty else {
        return [
          Problem(
            .noMatch, severity: .note, file: device.file, place: mentions.pattern,
            message: "matches no device that is present; " + Self.names(of: present))
        ]
      }
      // A device may match and yet have a better file, or two that are as good.
      let own = matching.filter { (try? settings.device(for: $0))??.file == device.file }
      guard !own.isEmpty, !device.isIgnored else { return [] }
      guard device.includesVirtual || device.pattern.isEmpty || !own.allSatisfy(\.isVirtual)
      else {
        return [
          Problem(
            .file, severity: .warning, file: device.file, place: mentions.pattern,
            message: "only devices that other programs have made match: "
              + "add “virtual = true” to have them taken"
          )
        ]
      }
      return mentions.keys.filter { key in
        !own.contains { $0.keys?.contains(key.code) ?? true }
      }.map { key in
        let owners =
          device.pattern.isEmpty && own.count > 1
          ? "any device that is present and has no file of its own"
          : TableReader.list(Set(own.map { "“\($0.identity.name)”" }).sorted())
        return Problem(
          .missingKey, severity: .warning, file: device.file, place: key.place,
          message: "“\(key.name)” is not a key of \(owners): this has no effect")
      }
    } + panicChords(of: present).compactMap(\.warning)
  }

  /// What devices with keys are called, as `list` shows them.
  private static func names(of present: [DeviceDescription]) -> String {
    let names = Set(present.filter { $0.keys?.isEmpty != true }.map { "“\($0.identity.name)”" })
    return names.isEmpty
      ? "“keydebounce list” shows them all" : "there are \(TableReader.list(names.sorted(), "and"))"
  }

  /// Which panic chord holds on which of the keyboards that are not left alone.
  public func panicChords(of present: [DeviceDescription]) -> [KeyboardChord] {
    var keyboards: [[(node: DeviceDescription, settings: DeviceSettings?)]] = []
    for node in present where node.properties == nil || node.kinds.contains(.keyboard) {
      let own: DeviceSettings?
      do { own = try settings.device(for: node) } catch { continue }
      let isLeft = own.map { $0.isIgnored || $0.brokenFile != nil } ?? false
      guard !isLeft, !node.isVirtual || own?.includesVirtual ?? false else { continue }
      let id = node.identity.keyboard
      let index = keyboards.firstIndex { id != nil && $0[0].node.identity.keyboard == id }
      if let index { keyboards[index].append((node, own)) } else { keyboards.append([(node, own)]) }
    }
    return keyboards.flatMap { nodes -> [KeyboardChord] in
      let keys = KeySet(nodes.flatMap { Array($0.node.keys ?? KeySet()) })
      let names = nodes.map { "“\($0.node.identity.name)”" }
      var chosen: [[KeyCode]] = []
      return nodes.compactMap { node -> KeyboardChord? in
        let own = node.settings
        let chord = own?.panicChord ?? settings.panicChord
        guard !chosen.contains(chord) else { return nil }
        chosen.append(chord)
        let held = Settings.panicChord(chord, on: keys)
        let mention =
          own.flatMap { own in
            (mentions[own.file]?.chord).flatMap { $0.isEmpty ? nil : (file: own.file, keys: $0) }
          } ?? defaultChord
        let isThere = held.allSatisfy(keys.contains)
        let missing = mention?.keys.first { !keys.contains($0.code) }
        return KeyboardChord(
          names: names, keys: isThere ? held : [],
          warning: missing.map { key in
            Problem(
              .missingChord, severity: .warning, file: mention?.file ?? "", place: key.place,
              message: "“\(key.name)” is not a key of \(TableReader.list(names, "and")): "
                + (isThere
                  ? "there the panic chord is \(ConfigurationSummary.list(held))"
                  : "there is no panic chord there"))
          })
      }
    }
  }
}

/// The panic chord on a keyboard, whose keys may be spread over several nodes.
public struct KeyboardChord: Sendable {
  /// What its nodes are called.
  public let names: [String]
  /// The keys that hold; none if it has neither all that were chosen nor all of the usual ones.
  public let keys: [KeyCode]
  /// That it lacks keys that were chosen.
  public let warning: Problem?
}

/// What a device file mentions, and where.
struct Mentions: Sendable {
  /// A key that the file names.
  struct Key: Sendable {
    var code: KeyCode
    var name: String
    var place: SourcePlace?
  }

  /// Where its pattern stands.
  var pattern: SourcePlace?
  var keys: [Key] = []
  /// The keys of the panic chord.
  var chord: [Key] = []
}
