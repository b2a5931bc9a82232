import Configuration
import Debounce
import EventDevices
import Glibc
import SystemPackage
import Terminal

/// A device file in `calibrated.d`: its path, its present and its proposed text.
public struct CalibratedFile {
  public let places: ConfigurationPlaces
  public let path: String
  public let present: String?
  public let proposal: DeviceFileText
  private let device: DeviceDescription

  private static let subfolder = "calibrated.d"
  static let folderPermissions: FilePermissions = [
    .ownerReadWriteExecute, .groupReadExecute, .otherReadExecute,
  ]
  /// Readable for everyone who may read the configuration.
  static let filePermissions: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]
  private static let longestName = 40

  /// - Parameter places: Where the configuration is; the file is written into the last folder, which need not exist.
  /// - Throws: ``ConfigurationErrors`` if the present configuration is wrong; ``CalibratedFileError``.
  public init(for result: CalibrationResult, in places: ConfigurationPlaces) throws {
    self.places = places
    device = result.device
    let settings = try LoadedSettings(readingFrom: places).settings
    let own = settings.calibrations.first { $0.pattern.isExactly(result.device) }
    let name = own?.file.split(separator: "/").last.map(String.init)
    path =
      "\(places.path)/\(Self.subfolder)/\(name ?? "\(Self.name(for: result.device)).toml")"
    present = try Self.contents(of: path)
    if let present, !present.hasPrefix(DeviceFileText.signature) {
      throw CalibratedFileError.notOurs(path: path)
    }
    let inForce = try InForce(for: result.device, by: settings)
    proposal = DeviceFileText(
      result, present: present,
      written: Set(result.keys.map(\.key).filter(inForce.isOwn)))
    guard proposal.hasKeys, result.device.name.isEmpty, result.device.vendor == 0,
      result.device.product == 0
    else { return }
    throw CalibratedFileError.unknownDevice
  }

  /// Whether there is anything to write: keys to set, or a present file to change.
  public var isWorthWriting: Bool { proposal.hasKeys || present != nil }

  public var difference: FileDifference { FileDifference(from: present ?? "", to: proposal.text) }

  public func differenceLines(on sheet: Sheet) -> [String] {
    difference.lines(
      named: (present == nil ? "/dev/null" : path.printable, path.printable), on: sheet)
  }

  /// A file name for the device, made of its name and numbers.
  static func name(for device: DeviceDescription) -> String {
    var name = ""
    for character in device.name.lowercased() {
      if character.isASCII, character.isLetter || character.isNumber {
        name.append(character)
      } else if !name.isEmpty, name.last != "-" {
        name.append("-")
      }
    }
    name = String(name.prefix(longestName))
    if name.hasSuffix("-") { name.removeLast() }
    let numbers = [device.vendor, device.product].map { $0.hexadecimal() }.joined(separator: "-")
    let uniq = (device.uniq ?? "").filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    return [name, numbers, String(uniq.suffix(12)).lowercased()].filter { !$0.isEmpty }
      .joined(separator: "-")
  }

  static func contents(of path: String) throws -> String? {
    do {
      return String(decoding: try WholeFile.read(path), as: UTF8.self)
    } catch {
      guard [.noSuchFileOrDirectory, .notDirectory].contains(error.reason) else { throw error }
      return nil
    }
  }
}

extension InForce {
  public init(for device: DeviceDescription, by settings: Settings) throws(DeviceTie) {
    self.init(try settings.rules(for: device))
    var written = settings
    written.calibrations = []
    let own = try written.device(for: device)
    self.own = own.map { Set($0.rules.keys.keys) } ?? []
    let without = own?.rules ?? settings.rules
    if without != rules { withoutLines = without }
  }
}

extension DevicePattern {
  /// Whether it is the pattern that `calibrate` writes for the device.
  fileprivate func isExactly(_ device: DeviceDescription) -> Bool {
    var pattern = DevicePattern()
    pattern.name = device.name.isEmpty ? nil : Glob(device.name)
    pattern.vendor = device.vendor
    pattern.product = device.product
    pattern.uniq = device.uniq.flatMap { $0.isEmpty ? nil : Glob($0) }
    return self == pattern
  }
}

// MARK: - Writing

extension CalibratedFile {
  /// Checks the whole configuration with the file in place.
  ///
  /// - Throws: ``CalibratedFileError`` if it could not be used, so that the file must not be written.
  public func validate() throws(CalibratedFileError) {
    let settings = try Self.settings(in: places, with: FileChange(of: path, to: proposal.text))
    let match = try Self.match(for: device, in: settings)
    guard match?.isIgnored != true else { throw .ignored(file: match?.file ?? "") }
    let files = [match?.file, match?.calibration].compactMap { $0 }
    guard files.contains(path) else {
      throw .overridden(by: files.last { $0.contains("/\(Self.subfolder)/") } ?? places.path)
    }
  }

  /// The settings as they will be with a file in place.
  static func settings(
    in places: ConfigurationPlaces, with change: FileChange
  ) throws(CalibratedFileError) -> Settings {
    do {
      return try LoadedSettings(readingFrom: places, with: change).settings
    } catch {
      throw .invalid(error.problems.map { $0.explanation(in: .ofLocale) }.joined(separator: "\n"))
    }
  }

  static func match(
    for device: DeviceDescription, in settings: Settings
  ) throws(CalibratedFileError) -> DeviceSettings? {
    do { return try settings.device(for: device) } catch { throw .invalid("\(error)") }
  }

  /// Writes the file, atomically.
  public func write() throws {
    do {
      try makeFolders("\(places.path)/\(Self.subfolder)", permissions: Self.folderPermissions)
      try WholeFile.replace(
        path, with: proposal.text.utf8, permissions: Self.filePermissions)
    } catch {
      throw CalibratedFileError.notWritten(path: path, reason: error)
    }
  }

  /// Checks before a long measurement whether its result could be written.
  public static func checkAccess(to places: ConfigurationPlaces) throws(CalibratedFileError) {
    let folder = "\(places.path)/\(subfolder)"
    try checkAccess(toFolder: folder, for: folder)
  }

  /// Checks whether files could be written into a folder, which need not exist.
  ///
  /// - Parameter file: What could not be written otherwise.
  static func checkAccess(
    toFolder folder: String, for file: String
  ) throws(CalibratedFileError) {
    var path = folder
    while access(path, F_OK) != 0 {
      let slash = path.lastIndex(of: "/")
      path = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
    guard access(path, W_OK) == 0 else {
      throw .notWritten(path: file, reason: Errno(rawValue: errno))
    }
  }
}

/// Why a device file cannot be written.
public enum CalibratedFileError: Error, CustomStringConvertible {
  case notOurs(path: String)
  /// What was measured does not say which device it is of.
  case unknownDevice
  case invalid(String)
  case ignored(file: String)
  case overridden(by: String)
  case notWritten(path: String, reason: Errno)

  public var description: String {
    switch self {
    case .notOurs(let path):
      """
      \(path) was not written by calibrate, and is left as it is: move it to devices.d, where files of your own \
      belong, and calibrate again
      """
    case .unknownDevice:
      """
      what was measured has no name and no numbers of a device, so that no file can say which one it is about; nothing was \
      written. Measure the device itself, or record it with “keydebounce record” and calibrate from that
      """
    case .invalid(let problems):
      "with the new file the configuration could not be read; nothing was written:\n\(problems)"
    case .ignored(let file):
      "\(file) says that the device is to be left alone (“ignore”); nothing was written"
    case .overridden(let file):
      "\(file) says more about this device, and would hold instead; delete it, or calibrate with it out of the way"
    case .notWritten(let path, .permissionDenied), .notWritten(let path, .notPermitted):
      "no permission to write \(path): call it with sudo, or name a folder of your own with --config"
    case .notWritten(let path, let reason):
      "cannot write \(path): \(reason)"
    }
  }
}
