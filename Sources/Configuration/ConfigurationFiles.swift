import Debounce
import EventDevices
import Files
import Glibc
import SystemPackage

/// The folders from which settings are read, or one file.
///
/// Each folder may contain `keydebounce.toml`, which holds for every device, and three folders of files. Those in
/// `keydebounce.toml.d` refine it, those in `devices.d` are about some devices, and `keydebounce calibrate` writes those in
/// `calibrated.d`. Where two folders have a file of one name, that of the later folder is read. If it is empty, or a link to
/// `/dev/null`, none of the name is.
public struct ConfigurationPlaces: Sendable {
  let paths: [String]
  public var labels: KeyLabels = { [:] }
  /// A folder that is passed over unless root owns it and nobody else may write to it.
  let mustBeRoots: String?

  /// The vendor's folder, that for settings until the next start, and the administrator's.
  ///
  /// Earlier versions of the service had `/run/keydebounce` for their own files, which root's commands must not read.
  public static let system = ConfigurationPlaces(
    ["/usr/lib/keydebounce", "/run/keydebounce", "/etc/keydebounce"],
    mustBeRoots: "/run/keydebounce")

  /// Several folders, each of which may be missing: without any, ``Settings/packaged`` holds.
  init(_ paths: [String], mustBeRoots: String? = nil) {
    (self.paths, self.mustBeRoots) = (paths, mustBeRoots)
  }

  /// One place that must be there: a folder, a device file, or a `keydebounce.toml`.
  public init(_ path: String) {
    // Without a slash at the end.
    self.init([FilePath(path).string])
  }

  /// The last folder, or the file: where commands write.
  public var path: String { paths.last ?? "" }

  /// The name of the file for every device, and of the folder with files that refine it.
  static let defaultsFile = "keydebounce.toml"
  static let defaultsFolder = "keydebounce.toml.d"
  public static let devicesFolder = "devices.d"
  public static let calibrationsFolder = "calibrated.d"
}

/// A file as it would be if somebody wrote it, or deleted it.
public struct FileChange: Sendable {
  public let path: String
  /// The file's new contents; `nil` if it is to be deleted.
  let bytes: [UInt8]?

  public init(of path: String, to bytes: [UInt8]?) {
    (self.path, self.bytes) = (path, bytes)
  }
}

/// Settings as they were read from files, with the places in the files that messages need.
public struct LoadedSettings: Sendable {
  public fileprivate(set) var settings = Settings.packaged
  /// The files, in the order in which they were read.
  public fileprivate(set) var files: [String] = []
  /// Those of the files that hold for every device.
  public fileprivate(set) var defaultsFiles: [String] = []
  /// The files that were not read because of others, and why.
  public fileprivate(set) var unread: [(file: String, reason: String)] = []
  /// The errors that were tolerated: those in device files, and files and folders that could not be read.
  public var errors: [Problem] { findings.filter { $0.severity == .error } }
  /// The warnings of settings that are legal but unwise, by file and line.
  public var warnings: [Problem] { findings.filter { $0.severity == .warning } }

  fileprivate var findings: [Problem] = []
  /// The keys and the pattern that each device file mentions, by the file's path.
  fileprivate(set) var mentions: [String: Mentions] = [:]
  /// The file and the keys of the panic chord for every device, if one was chosen.
  fileprivate(set) var defaultChord: (file: String, keys: [Mentions.Key])?

  fileprivate init() {}

  public static let packaged = LoadedSettings()

  /// Reads the settings.
  ///
  /// - Parameters:
  ///   - toleratesBrokenDevices: Whether files in `devices.d` and `calibrated.d` may have errors. These are in ``errors`` then,
  ///     and the devices that the files are about have ``DeviceSettings/brokenFile``, as far as the devices can be told.
  ///     Where several places are read, what may not be read is tolerated, too. It does not hold.
  ///   - change: A file that somebody is about to write or delete.
  /// - Throws: ``ConfigurationErrors`` with all errors and warnings.
  public init(
    readingFrom places: ConfigurationPlaces, toleratesBrokenDevices: Bool = false,
    with change: FileChange? = nil
  ) throws(ConfigurationErrors) {
    var reading = ConfigurationReader(change: change, labels: places.labels)
    reading.read(places)
    self = reading.loaded
    guard errors.isEmpty || toleratesBrokenDevices && !reading.isFatal else {
      throw ConfigurationErrors(findings: findings)
    }
  }

  /// Reads one folder, or one file.
  public init(readingFrom path: String) throws(ConfigurationErrors) {
    try self.init(readingFrom: ConfigurationPlaces(path))
  }
}

// MARK: - Reading

/// Reads folders and files one after the other, and holds what was read so far.
private struct ConfigurationReader {
  let change: FileChange?
  let labels: KeyLabels
  var loaded = LoadedSettings()
  var defaults = Defaults()
  /// Whether the caller named one place, which must be there.
  var isAlone = false
  /// Whether there is an error that is never tolerated: in a file for every device, or about the one place.
  var isFatal = false

  mutating func read(_ places: ConfigurationPlaces) {
    isAlone = places.paths.count == 1
    let folders = places.paths.filter { enter($0, of: places) }
    let files = folders.map { "\($0)/\(ConfigurationPlaces.defaultsFile)" }
    if let path = chosen(among: files.filter { kind(of: $0) != .missing }) {
      readDefaults(path)
    }
    for path in paths(in: ConfigurationPlaces.defaultsFolder, of: folders) { readDefaults(path) }
    loaded.settings.defaults = defaults.effective
    loaded.settings.devices += readDevices(in: ConfigurationPlaces.devicesFolder, of: folders)
    loaded.settings.calibrations = readDevices(
      in: ConfigurationPlaces.calibrationsFolder, of: folders)
  }

  /// Reads a place that is a single file, and reports one that cannot be read. Returns whether it is a folder to look in.
  private mutating func enter(_ path: String, of places: ConfigurationPlaces) -> Bool {
    switch kind(of: path) {
    // `change` may be about to make a file in this folder.
    case .missing where !isAlone: return true
    case .missing:
      isFatal = true
      report(
        path,
        "is not there; expected a folder with \(ConfigurationPlaces.defaultsFile) and \(ConfigurationPlaces.devicesFolder)/*.toml "
          + "in it, or one such file")
    case .folder where path == places.mustBeRoots && !isRoots(path):
      warn(path, "is not read: it is not root's, or others may write to it; delete it")
    case .folder where faccessat(AT_FDCWD, path, R_OK | X_OK, AT_EACCESS) != 0:
      isFatal = isAlone
      report(path, "\(UnreadableFile(path, reason: EACCES))")
    case .folder:
      warnOfStrays(in: path)
      return true
    case _ where !isAlone:
      // Reports what is there instead of a folder.
      _ = names(in: path)
    default: readAlone(path)
    }
    return false
  }

  private mutating func readAlone(_ path: String) {
    let hasDefaults = change?.bytes?.split(separator: UInt8(ascii: "\n")).contains {
      String(decoding: $0, as: UTF8.self).withoutBlanksAtEnds.hasPrefix("[defaults]")
    }
    if hasDefaults == true || Self.isOfEveryDevice(path) {
      readDefaults(path)
    } else {
      loaded.settings.devices = device(path).map { [$0] } ?? []
      isFatal = !loaded.errors.isEmpty
    }
  }

  /// Whether a file at this path holds for every device, by its own name or that of its folder, which may be the current one.
  private static func isOfEveryDevice(_ path: String) -> Bool {
    let file = FilePath(resolvedPath(".")).pushing(FilePath(path)).lexicallyNormalized()
    return file.lastComponent?.string == ConfigurationPlaces.defaultsFile
      || file.removingLastComponent().lastComponent?.string == ConfigurationPlaces.defaultsFolder
  }

  private mutating func readDefaults(_ path: String) {
    do throws(UnreadableFile) {
      guard var reader = reader(of: path, try bytes(of: path)) else {
        isFatal = true
        return
      }
      defaults = reader.defaults(refining: defaults)
      loaded.defaultsFiles.append(path)
      if !reader.mentions.chord.isEmpty { loaded.defaultChord = (path, reader.mentions.chord) }
      loaded.findings += reader.findings
      if reader.findings.contains(where: { $0.severity == .error }) { isFatal = true }
    } catch {
      // A file whose mode is wrong must not make keydebounce leave every keyboard alone.
      if !error.isDenied || isAlone { isFatal = true }
      report(path, "\(error)")
    }
  }

  /// Reads a device file. Returns `nil` if it cannot be told which devices the settings are for.
  private mutating func device(_ path: String) -> DeviceSettings? {
    let known = loaded.findings.count
    var settings: DeviceSettings?
    do throws(UnreadableFile) {
      let bytes = try bytes(of: path)
      if var reader = reader(of: path, bytes) {
        settings = reader.device(refining: defaults)
        loaded.mentions[path] = reader.mentions
        loaded.findings += reader.findings
      } else if let line = loaded.findings.last?.place?.line {
        // `reader(of:_:)` has just added the last finding. The lines before that one may say which devices the file is about.
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let start = Array(lines.prefix(line - 1).joined(separator: [UInt8(ascii: "\n")]))
        var reader = try? TableReader(file: path, bytes: start)
        settings = reader?.device(refining: defaults)
      }
    } catch {
      report(path, "\(error)")
    }
    guard loaded.findings[known...].contains(where: { $0.severity == .error }) else {
      return settings
    }
    settings?.brokenFile = path
    return settings?.pattern.tellsDevices == true ? settings : nil
  }

  /// Reads the device files in the folders of one name, and reports those with the same pattern. Returns the files without those
  /// that another one of that pattern makes useless.
  private mutating func readDevices(
    in subfolder: String, of folders: [String]
  ) -> [DeviceSettings] {
    let devices = paths(in: subfolder, of: folders).compactMap { device($0) }
    return devices.indices.filter { index in
      let device = devices[index]
      guard let other = devices[..<index].first(where: { $0.pattern == device.pattern }) else {
        return true
      }
      report(
        device.file, at: loaded.mentions[device.file]?.pattern,
        device.pattern.isEmpty
          ? "matches every device, and so does \(other.file); expected one such file at most"
          : "matches the same devices as \(other.file); expected one file for them, or one that says "
            + "more about them in its [device]")
      return device.pattern.tellsDevices
    }.map { devices[$0] }
  }

  private mutating func report(
    _ file: String, at place: SourcePlace? = nil, _ message: String,
    severity: Problem.Severity = .error
  ) {
    loaded.findings.append(
      Problem(.file, severity: severity, file: file, place: place, message: message))
  }

  private mutating func warn(_ file: String, _ message: String) {
    report(file, message, severity: .warning)
  }
}

// MARK: - Files

extension ConfigurationReader {
  /// The last of the files of one name; `nil` if that stands for none.
  private mutating func chosen(among paths: [String]) -> String? {
    guard let last = paths.last else { return nil }
    for path in paths.dropLast() { loaded.unread.append((path, "\(last) takes its place")) }
    guard kind(of: last) != .nothing else {
      loaded.unread.append((last, "empty, or a link to /dev/null: nothing of this name is read"))
      return nil
    }
    return last
  }

  /// The files to read in the folders of one name, sorted by their own names.
  private mutating func paths(in subfolder: String, of folders: [String]) -> [String] {
    var paths: [String: [String]] = [:]
    for folder in folders {
      for name in fileNames(in: "\(folder)/\(subfolder)") {
        paths[name, default: []].append("\(folder)/\(subfolder)/\(name)")
      }
    }
    return paths.sorted { $0.key < $1.key }.compactMap { chosen(among: $0.value) }
  }

  /// The names of the files to read in a folder, sorted. Warns of others that were probably meant to be read.
  private mutating func fileNames(in folder: String) -> [String] {
    var names: [String] = []
    if FileKind(of: folder) != .missing {
      for name in self.names(in: folder) {
        if name.hasSuffix(".toml") {
          names.append(name)
        } else if Self.isMeant(name) || !name.contains(".") && name != "README" {
          warn("\(folder)/\(name)", "is not read; expected a name that ends in “.toml”")
        }
      }
    }
    let path = FilePath(change?.path ?? "")
    if path.removingLastComponent() == FilePath(folder), let name = path.lastComponent?.string {
      names.removeAll { $0 == name }
      if change?.bytes != nil { names.append(name) }
    }
    return names.sorted()
  }

  /// Whether a file of this name was probably meant to be read. Files that editors and package managers leave
  /// (`10.toml~`, `10.toml.dpkg-old`) were not.
  private static func isMeant(_ name: String) -> Bool {
    ["toml", "tml", "conf", "cfg", "ini", "yaml", "yml", "json"]
      .contains(FilePath(name).extension?.lowercased())
  }

  /// Warns of device files beside `devices.d`, and of folders from which nothing is read.
  private mutating func warnOfStrays(in folder: String) {
    let file = ConfigurationPlaces.defaultsFile
    let folders = [
      ConfigurationPlaces.devicesFolder, ConfigurationPlaces.calibrationsFolder,
      ConfigurationPlaces.defaultsFolder,
    ]
    for name in names(in: folder) where name != file && !folders.contains(name) {
      let path = "\(folder)/\(name)"
      switch FileKind(of: path) {
      case .nothing where Self.isMeant(name), .file where Self.isMeant(name):
        warn(path, "is not read; expected “\(file)” here, and device files in \(folders[0])")
      case .folder: warn(path, "is not read; expected a folder \(TableReader.list(folders))")
      default: break
      }
    }
  }

  /// The names in a folder, sorted, without hidden ones. Reports why, if there is no folder or it cannot be read.
  private mutating func names(in folder: String) -> [String] {
    do {
      return try entries(of: folder).filter { !$0.hasPrefix(".") }.sorted()
    } catch {
      report(folder, "\(UnreadableFile(folder, reason: error.rawValue, expected: "a folder"))")
      return []
    }
  }

  private func kind(of path: String) -> FileKind {
    guard let change, change.path == path else { return FileKind(of: path) }
    return change.bytes?.isEmpty == false ? .file : .nothing
  }

  /// The bytes of a file, which counts as read then.
  private mutating func bytes(of path: String) throws(UnreadableFile) -> [UInt8] {
    let bytes: [UInt8]
    if let change, change.path == path {
      bytes = change.bytes ?? []
    } else if FileKind(of: path) == .pipeOrDevice {
      throw UnreadableFile(path, reason: ENXIO)
    } else {
      do {
        bytes = try WholeFile.read(path, upTo: UnreadableFile.longest)
      } catch {
        throw UnreadableFile(path, reason: error.reason.rawValue)
      }
    }
    loaded.files.append(path)
    return bytes
  }

  /// - Returns: `nil` if the bytes are no TOML. Where they are not is the last finding then.
  private mutating func reader(of path: String, _ bytes: [UInt8]) -> TableReader? {
    do {
      return try TableReader(file: path, bytes: bytes, labels: labels)
    } catch {
      loaded.findings += error.findings
      return nil
    }
  }
}

/// The kind of what a path leads to once all links are followed.
private enum FileKind {
  case missing
  /// An empty file, or `/dev/null`.
  case nothing
  case file
  case folder
  case pipeOrDevice
  /// A link to nothing, or something whose kind only an attempt to read it shows.
  case unknown

  init(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      self = errno == ENOENT && lstat(path, &status) != 0 ? .missing : .unknown
      return
    }
    self =
      switch status.st_mode & S_IFMT {
      case S_IFREG: status.st_size == 0 ? .nothing : .file
      case S_IFDIR: .folder
      // The number of /dev/null.
      case S_IFCHR where status.st_rdev == 0x103: .nothing
      default: .pipeOrDevice
      }
  }
}

/// Whether root owns a folder, and nobody else may write to it.
private func isRoots(_ folder: String) -> Bool {
  var status = stat()
  return lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == 0
    && status.st_mode & 0o022 == 0
}

/// Why a file or folder cannot be read, and what can be done about it.
struct UnreadableFile: Error, CustomStringConvertible {
  let description: String
  /// Whether another user could read it.
  let isDenied: Bool

  /// The longest file that can be a configuration.
  static let longest = 1 << 20

  /// - Parameter expected: What was expected at the path.
  init(_ path: String, reason: CInt, expected: String = "a file") {
    isDenied = reason == EACCES
    description =
      switch (reason, FileKind(of: path)) {
      case (ENOENT, .unknown): "is a link to something that is not there; expected \(expected)"
      case (ELOOP, _): "is a link that leads back to itself; expected \(expected)"
      case (EFBIG, _):
        "has more than \(Self.longest / 1024) KiB; expected a configuration, which is short"
      case (EISDIR, _): "is a folder; expected \(expected)"
      case (ENOTDIR, .file), (ENOTDIR, .nothing): "is a file; expected \(expected)"
      // The kernel gives ENXIO for a socket, too.
      case (ENXIO, _), (ENOTDIR, .pipeOrDevice): "is a pipe or a device; expected \(expected)"
      case (EACCES, _):
        "the user “\(Self.name(of: geteuid()) ?? "\(geteuid())")” may not read it; "
          + Self.readers(of: path)
      default: "cannot be read: \(String(cString: strerror(reason)))"
      }
  }

  private static func name(of user: uid_t) -> String? {
    getpwuid(user).map { String(cString: $0.pointee.pw_name) }
  }

  /// A sentence on who may read the file, and on how to let others read it.
  private static func readers(of path: String) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return "expected permission to enter the folders above it"
    }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    let needed = isFolder ? S_IROTH | S_IXOTH : S_IROTH
    guard status.st_mode & needed != needed else {
      return
        "its mode lets everybody; expected no access list and no security module that forbids it"
    }
    var readers = [name(of: status.st_uid) ?? "the user \(status.st_uid)"]
    if status.st_mode & S_IRGRP != 0 {
      let group = getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) }
      readers.append("the group \(group ?? String(status.st_gid))")
    }
    return
      "only \(readers.joined(separator: " and ")) may: let everybody with “chmod a+r\(isFolder ? "x" : "") "
      + "\(path)”"
  }
}
