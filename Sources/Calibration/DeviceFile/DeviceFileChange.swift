import Configuration
import Files
import Glibc
import SystemPackage
import TerminalText

/// A change of a file in `devices.d` that `take`, `leave` or `forget` is to make: it writes the file, or deletes it.
public struct DeviceFileChange: Sendable {
  /// What the file will be for; `nil` if it is to be deleted.
  public let purpose: DeviceFilePurpose?
  /// The configuration folder.
  public let folder: String
  public let path: String
  /// The present text; `nil` if there is no file.
  public let present: String?
  /// The new text; `nil` if the file is to be deleted.
  public let proposal: String?
  /// The device that the new file is about.
  let device: DeviceDescription?

  /// What changes, as text.
  public func differenceLines(on sheet: Sheet) -> [String] {
    let name = path.printable
    return FileDifference(from: present ?? "", to: proposal ?? "").lines(
      named: (present == nil ? "/dev/null" : name, proposal == nil ? "/dev/null" : name), on: sheet)
  }

  /// Checks the whole configuration as it will be.
  ///
  /// - Returns: The settings that will hold.
  /// - Throws: ``CalibratedFileError/invalid(_:)`` if it could not be used, so that nothing must be changed.
  public func settings() throws -> Settings {
    let copy = try ConfigurationCopy(of: folder)
    let name = "\(DeviceFiles.subfolder)/\(path.split(separator: "/").last ?? "")"
    if let proposal { try copy.put(proposal, at: name) } else { copy.remove(name) }
    var settings: Settings
    do {
      settings = try copy.settings()
      if let device, let best = try settings.device(for: device) {
        guard copy.original(best.file) == "\(folder)/\(name)" else {
          throw CalibratedFileError.overridden(by: copy.original(best.file))
        }
      }
    } catch let errors as ConfigurationErrors {
      throw CalibratedFileError.invalid(
        errors.problems.map { copy.original($0.explanation) }.joined(separator: "\n"))
    } catch let tie as DeviceTie {
      throw CalibratedFileError.invalid(copy.original("\(tie)"))
    }
    for index in settings.devices.indices {
      settings.devices[index].file = copy.original(settings.devices[index].file)
    }
    return settings
  }

  /// Checks whether the change could be made.
  ///
  /// - Throws: ``CalibratedFileError/notWritten(path:reason:)``.
  public func checkAccess() throws(CalibratedFileError) {
    try CalibratedFile.checkAccess(toFolder: "\(folder)/\(DeviceFiles.subfolder)", for: path)
  }

  /// Makes the change, atomically.
  ///
  /// - Throws: ``CalibratedFileError/notWritten(path:reason:)``.
  public func make() throws(CalibratedFileError) {
    do {
      if let proposal { try write(proposal) } else { try delete() }
    } catch {
      throw .notWritten(path: path, reason: error)
    }
  }

  private func write(_ text: String) throws(Errno) {
    try makeFolders(
      "\(folder)/\(DeviceFiles.subfolder)", permissions: CalibratedFile.folderPermissions)
    try WholeFile.replace(path, with: text.utf8, permissions: CalibratedFile.filePermissions)
  }

  private func delete() throws(Errno) {
    guard unlink(path) == 0 else { throw Errno(rawValue: errno) }
  }
}

/// Why `take`, `leave` or `forget` does nothing.
public enum DeviceFileError: Error, CustomStringConvertible {
  /// A file written by hand is about the device.
  case inTheWay(place: String, advice: String, lines: String)
  /// The file was changed by hand since it was written.
  case changed(path: String)
  case noButtons(name: String)
  case several(name: String, files: [String])
  /// What was named as the configuration is no folder.
  case noFolder(path: String)
  /// The device would not be taken in spite of the file.
  case inVain(name: String, reason: String)

  public var description: String {
    switch self {
    case .inTheWay(let place, let advice, let lines):
      """
      \(place.printable) is about this device already, and was written by hand: nothing was written. \
      \(advice), and call “sudo keydebounce reload”\(lines.isEmpty ? "" : ":")
      """
        + lines.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { "\n    \($0)" }.joined()
    case .changed(let path):
      """
      \(path.printable) was changed by hand since it was written, and is left as it is. With --force it is replaced or \
      deleted; without its first line it is a file of your own
      """
    case .noButtons(let name):
      "“\(name)” has no button that a file could name: there is nothing to debounce"
    case .several(let name, let files):
      "several files are meant by “\(name.printable)”; name one: "
        + files.map(\.printable).joined(separator: ", ")
    case .noFolder(let path):
      "\(path.printable) is a file; expected a configuration folder, in which devices.d is"
    case .inVain(let name, let reason):
      "“\(name)” would be left alone all the same (\(reason.printable)): nothing was written"
    }
  }
}

/// Whether a path is that of a folder, or of nothing.
func isFolderOrMissing(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFDIR
}
