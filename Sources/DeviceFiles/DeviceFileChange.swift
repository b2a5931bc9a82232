import Configuration
import Debounce
import EventDevices
import Files
import Glibc
import SystemPackage
import Terminal

/// The commands that write device files. They know a file of theirs by its first line, and never change another.
public enum DeviceFilePurpose: String, Sendable {
  case calibrate, take, leave

  /// The first line of such a file, or its beginning.
  var mark: String { "# Written by keydebounce \(rawValue)" }

  /// Whether the command has written a text. `calibrate` adds the date to the mark, and earlier versions of the others
  /// added a checksum.
  func hasWritten(_ text: String) -> Bool {
    let line = text.prefix { !$0.isNewline }
    return self == .calibrate ? line.hasPrefix(mark) : line == mark || line.hasPrefix(mark + ";")
  }
}

/// The change that a command is to make to a device's file, or why none is needed.
public enum DeviceFilePlan: Sendable {
  case change(DeviceFileChange)
  /// No change, for this reason.
  case nothing(String)
}

/// A file in `devices.d` or `calibrated.d` that a command is to write or to delete.
public struct DeviceFileChange: Sendable {
  /// The command whose file it will be; `nil` if the file is to be deleted.
  public let purpose: DeviceFilePurpose?
  public let places: ConfigurationPlaces
  public let path: String
  let present: String?
  public let proposal: String?
  /// The device that the new file is about.
  let device: DeviceDescription?
  /// The strategies that were measured, which must hold for their keys once the file is in place.
  var measured: [KeyCode: Strategy] = [:]

  /// - Returns: `nil` if there is no such file.
  static func contents(of path: String) throws(FileError) -> String? {
    do {
      return String(decoding: try WholeFile.read(path), as: UTF8.self)
    } catch {
      guard [.noSuchFileOrDirectory, .notDirectory].contains(error.reason) else { throw error }
      return nil
    }
  }

  /// The path of the file to write. A number behind the name keeps a new file apart from files that exist.
  ///
  /// - Parameters:
  ///   - own: The command's earlier file about the device. The new one has its name, and hides it if it is in another folder,
  ///     such as /run.
  ///   - files: The files that are read. A file hides another of the same name in another folder.
  static func path(
    replacing own: String?, named name: String, in folder: String, beside files: [DeviceSettings]
  ) throws(FileError) -> String {
    if let last = own?.split(separator: "/").last { return "\(folder)/\(last)" }
    let read = Set(files.map { $0.file.split(separator: "/").last ?? "" })
    var (file, number) = ("\(name).toml", 1)
    while try contents(of: "\(folder)/\(file)") != nil || read.contains(file[...]) {
      number += 1
      file = "\(name)-\(number).toml"
    }
    return "\(folder)/\(file)"
  }

  public func differenceLines(on sheet: Sheet) -> [String] {
    let name = path.printable
    return lineDifference(
      from: (present == nil ? "/dev/null" : name, present ?? ""),
      to: (proposal == nil ? "/dev/null" : name, proposal ?? ""), on: sheet)
  }

  /// Checks the whole configuration with the change made.
  ///
  /// - Returns: The settings that will hold.
  /// - Throws: ``DeviceFileError`` if they could not be used, or the file would not hold, so that nothing must be changed.
  public func settings() throws(DeviceFileError) -> Settings {
    let settings: Settings
    do {
      let change = FileChange(of: path, to: proposal.map { Array($0.utf8) })
      settings = try LoadedSettings(readingFrom: places, with: change).settings
    } catch {
      throw Self.invalid(
        error.problems.map { $0.explanation(in: .ofLocale) }.joined(separator: "\n"))
    }
    guard let device else { return settings }
    let match: DeviceSettings?
    do { match = try settings.device(for: device) } catch { throw Self.invalid("\(error)") }
    var holder = match?.file
    if purpose == .calibrate {
      if let match, match.isIgnored {
        throw DeviceFileError(
          "\(match.file.printable) says that the device is to be left alone (“ignore”); nothing was written",
          .badConfiguration)
      }
      holder = match?.calibration ?? holder
    }
    guard holder == path else {
      throw DeviceFileError(
        holder.map {
          """
          \($0.printable) says more about this device, and would hold instead; delete it, or move it out of the way
          """
        }
          ?? "\(path.printable) would not be read: \(places.path.printable) is no folder of settings",
        .badConfiguration)
    }
    let rules = match?.rules ?? settings.rules
    if let key = measured.keys.sorted().first(where: { rules.strategy(of: $0) != measured[$0] }) {
      throw DeviceFileError(
        """
        with \(path.printable) another setting of \(KeyNames.name(of: key)) would hold than the one that was measured; \
        nothing was written. Please report that, with your configuration
        """)
    }
    return settings
  }

  private static func invalid(_ problems: String) -> DeviceFileError {
    DeviceFileError(
      "with this change the configuration could not be read; nothing was changed:\n\(problems)",
      .badConfiguration)
  }

  private var folder: String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }

  public func checkAccess() throws(DeviceFileError) {
    try Self.checkAccess(toFolder: folder, for: path)
  }

  /// Checks whether files could be written into a folder, which need not exist. The error names `file`.
  static func checkAccess(toFolder folder: String, for file: String) throws(DeviceFileError) {
    var folder = FilePath(folder)
    while access(folder.string, F_OK) != 0, folder.removeLastComponent() {}
    guard access(folder.isEmpty ? "." : folder.string, W_OK) == 0 else {
      throw .notWritten(path: file, reason: Errno(rawValue: errno))
    }
  }

  /// Makes the change, atomically. Whoever may read the configuration may read the file.
  ///
  /// - Throws: ``DeviceFileError``, also if somebody has changed the file since the change was planned.
  public func make() throws(DeviceFileError) {
    let found: String?
    do { found = try Self.contents(of: path) } catch {
      throw .notWritten(path: path, reason: error.reason)
    }
    // The person may have answered the question late.
    guard found == present else {
      throw DeviceFileError(
        "somebody has changed \(path.printable) meanwhile: it was left as it is; call the command again"
      )
    }
    do throws(Errno) {
      if let proposal {
        try makeFolders(
          folder,
          permissions: [.ownerReadWriteExecute, .groupReadExecute, .otherReadExecute])
        let permissions: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]
        if present == nil {
          try WholeFile.create(path, with: proposal.utf8, permissions: permissions)
        } else {
          try WholeFile.replace(path, with: proposal.utf8, permissions: permissions)
        }
      } else if unlink(path) != 0 {
        throw Errno(rawValue: errno)
      }
    } catch {
      throw .notWritten(path: path, reason: error)
    }
  }
}

/// Why a device file is not written or deleted.
public struct DeviceFileError: Error, CustomStringConvertible {
  public enum Kind: Sendable {
    case refused, badConfiguration, noPermission
  }

  public let description: String
  public let kind: Kind

  public init(_ description: String, _ kind: Kind = .refused) {
    (self.description, self.kind) = (description, kind)
  }

  package static func notWritten(path: String, reason: Errno) -> Self {
    [.permissionDenied, .notPermitted].contains(reason)
      ? Self(
        "no permission to write \(path.printable): call it with sudo, or name a folder of your own with --config",
        .noPermission)
      : Self("cannot write \(path.printable): \(reason)")
  }
}

/// Pieces of the device files that commands write.
enum TOML {
  /// The lines that say which device a file is about.
  static func table(of device: DeviceDescription) -> String {
    var lines = ["[device]"]
    // Many devices may have no name, so that an empty one tells none from others.
    if !device.name.isEmpty { lines.append("name    = \(pattern(for: device.name))") }
    lines += [
      "vendor  = 0x\(device.vendor.hexadecimal())", "product = 0x\(device.product.hexadecimal())",
    ]
    if let uniq = device.uniq, !uniq.isEmpty { lines.append("uniq    = \(pattern(for: uniq))") }
    if device.isVirtual { lines.append("virtual = true") }
    return lines.map { $0 + "\n" }.joined()
  }

  /// The text as lines of a comment, which fit into 80 columns even behind the sign of a difference.
  static func comment(_ text: String) -> String {
    text.wrapped(to: 77).map { "# \($0)\n" }.joined()
  }

  /// The pattern that matches a text alone, as a string of TOML. A device that calls itself `*` must not get a file about others.
  static func pattern(for text: String) -> String { quoted(Glob.escaping(text)) }

  /// The text as a basic string of TOML.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case _ where scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value):
        quoted += "\\u" + scalar.value.hexadecimal()
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension DeviceDescription {
  /// The name of a file about the device, without its suffix: the device's name and numbers.
  var fileName: String {
    let words = self.name.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
    let name = words.joined(separator: "-").prefix(40)
    let serial = (self.uniq ?? "").lettersAndDigits.suffix(12).lowercased()
    return [
      String(name.hasSuffix("-") ? name.dropLast() : name), self.vendor.hexadecimal(),
      self.product.hexadecimal(), serial,
    ].filter { !$0.isEmpty }.joined(separator: "-")
  }
}

extension String {
  var lettersAndDigits: String { filter { $0.isASCII && ($0.isLetter || $0.isNumber) } }
}
