import Configuration
import EventDevices
import Glibc
import SystemPackage
import Terminal

/// What a device file of `take` or `leave` is for.
public enum DeviceFilePurpose: String, Sendable, CaseIterable {
  case take, leave

  /// The file's first line, by which they know it.
  var mark: String { "# Written by keydebounce \(rawValue)" }

  /// Whether `take` or `leave` has written a text. Earlier versions had a checksum behind the mark.
  static func isMarked(_ text: String) -> Bool {
    let line = text.prefix { !$0.isNewline }
    return allCases.contains { line == $0.mark || line.hasPrefix($0.mark + ";") }
  }
}

/// A change of a file in `devices.d` that `take`, `leave` or `forget` is to make: it writes the file, or deletes it.
public struct DeviceFileChange: Sendable {
  /// What the file will be for; `nil` if it is to be deleted.
  public let purpose: DeviceFilePurpose?
  /// Where the configuration is.
  public let places: ConfigurationPlaces
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
  public func settings() throws(CalibratedFileError) -> Settings {
    let settings = try CalibratedFile.settings(in: places, with: FileChange(of: path, to: proposal))
    if let device, let best = try CalibratedFile.match(for: device, in: settings), best.file != path
    {
      throw .overridden(by: best.file)
    }
    return settings
  }

  /// Checks whether the change could be made.
  ///
  /// - Throws: ``CalibratedFileError/notWritten(path:reason:)``.
  public func checkAccess() throws(CalibratedFileError) {
    try CalibratedFile.checkAccess(
      toFolder: "\(places.path)/\(DeviceFiles.subfolder)", for: path)
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
      "\(places.path)/\(DeviceFiles.subfolder)", permissions: CalibratedFile.folderPermissions)
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
