import Configuration
import EventDevices
import Glibc
import SystemPackage
import Terminal

/// The files in `devices.d` that are about one device, by who wrote them, and what `take`, `leave` and `forget` make of them.
public struct DeviceFiles {
  public let places: ConfigurationPlaces
  public let settings: Settings
  private let device: DeviceDescription
  /// The other devices that are plugged in.
  private let others: [DeviceDescription]
  /// The file that `take` or `leave` has written about it.
  private let own: WrittenFile?
  /// The file written by hand that is about it, and where it says so.
  private let byHand: (file: DeviceSettings, place: String)?

  static let subfolder = "devices.d"

  /// - Parameters:
  ///   - others: The other devices that are plugged in: a file is to be about this one alone.
  ///   - places: Where the configuration is; the file is written into the last folder, which need not exist.
  /// - Throws: ``ConfigurationErrors`` if the present configuration is wrong; `DeviceFileError`.
  public init(
    about device: DeviceDescription, beside others: [DeviceDescription] = [],
    in places: ConfigurationPlaces
  ) throws {
    let loaded = try Self.load(places)
    self.places = places
    self.device = device
    self.others = others
    settings = loaded.settings
    // What is about every device is about none in particular.
    let matching = settings.devices.filter { !$0.pattern.isEmpty && $0.pattern.matches(device) }
      .sorted { $0.pattern.specificity > $1.pattern.specificity }
    let written = matching.map { WrittenFile($0) }
    own = written.compactMap(\.self).first
    byHand = zip(matching, written).first { $0.1 == nil }.map { file, _ in
      let line = loaded.place(ofPatternIn: file.file)?.line
      return (file: file, place: line.map { "\(file.file):\($0)" } ?? file.file)
    }
  }

  private static func load(_ places: ConfigurationPlaces) throws -> LoadedSettings {
    guard isFolderOrMissing(places.path) else { throw DeviceFileError.noFolder(path: places.path) }
    return try LoadedSettings(readingFrom: places)
  }

  /// Where a new file about the device goes. Names may be alike: what stands there already is left alone.
  private func newPath() throws -> String {
    var name = CalibratedFile.name(for: device)
    if let interface = device.interface, !interface.isEmpty,
      others.contains(where: { $0.name == device.name && $0.interface != interface })
    {
      name += "-" + interface.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.lowercased()
    }
    let folder = "\(places.path)/\(Self.subfolder)"
    // One of the same name in another folder would no longer be read.
    let read = Set(settings.devices.map { $0.file.split(separator: "/").last ?? "" })
    var file = "\(name).toml"
    var number = 2
    while try read.contains(file[...]) || CalibratedFile.contents(of: "\(folder)/\(file)") != nil {
      file = "\(name)-\(number).toml"
      number += 1
    }
    return "\(folder)/\(file)"
  }
}

// MARK: - Plans

/// What `take`, `leave` or `forget` finds to do.
public enum DeviceFilePlan: Sendable {
  case change(DeviceFileChange)
  /// Nothing, for this reason.
  case nothing(String)
}

extension DeviceFiles {
  /// Plans to have the device taken, each of its buttons with a strategy.
  ///
  /// - Parameter reason: Why it is left alone now; `nil` if it is taken.
  /// - Throws: `DeviceFileError` if a file written by hand is in the way, or the device has no button.
  public func planToTake(leftBecause reason: String?) throws -> DeviceFilePlan {
    let title = device.name.printable
    guard let buttons = DeviceButtons(of: device) else {
      throw DeviceFileError.noButtons(name: title)
    }
    let proposal = WrittenDeviceText(taking: device, buttons, beside: others)
    if let (file, place) = byHand {
      guard let reason else {
        return .nothing(
          "keydebounce already debounces “\(title)”, because of \(place.printable), which was written by hand"
        )
      }
      throw DeviceFileError.inTheWay(
        place: place,
        advice: file.isIgnored
          ? "Delete “ignore = true” there"
          : "It is left alone (\(reason)). Write there what follows",
        lines: file.isIgnored ? "" : proposal.settings)
    }
    if buttons.kind == .keyboard, own == nil, reason == nil {
      return .nothing("“\(title)” is a keyboard, and taken without a file of its own")
    }
    return try plan(.take, proposal.text)
  }

  /// Plans to have the device left alone.
  public func planToLeave() throws -> DeviceFilePlan {
    if let (file, place) = byHand {
      guard !file.isIgnored else {
        return .nothing(
          "“\(device.name.printable)” is left alone already, by \(place.printable), which was written by hand"
        )
      }
      throw DeviceFileError.inTheWay(
        place: place, advice: "Write “ignore = true” below its [device]", lines: "")
    }
    return try plan(.leave, WrittenDeviceText(leaving: device, beside: others).text)
  }

  /// Plans to delete what `take` or `leave` has written.
  public func planToForget() -> DeviceFilePlan {
    guard let own else {
      let others = byHand.map { "; \($0.place.printable) was written by hand: delete it yourself" }
      return .nothing(
        "neither take nor leave has written about “\(device.name.printable)”\(others ?? "")")
    }
    return Self.planToForget(own, in: places)
  }

  /// The same for a device that need not be plugged in.
  ///
  /// - Parameter name: The path of the file, or a part of the device's name.
  /// - Returns: `nil` if there is no such file.
  public static func planToForget(
    named name: String, in places: ConfigurationPlaces
  ) throws -> DeviceFilePlan? {
    let files = try load(places).settings.devices
    let path = resolvedPath(name)
    let exact = files.filter { resolvedPath($0.file) == path }
    let wanted = name.lowercased()
    let named = files.filter { $0.pattern.name?.pattern.lowercased().contains(wanted) ?? false }
    let written = (exact.isEmpty ? named : exact).compactMap { WrittenFile($0) }
    guard written.count < 2 else {
      throw DeviceFileError.several(name: name, files: written.map(\.path))
    }
    if let file = exact.first, written.isEmpty {
      return .nothing("\(file.file.printable) was written by hand: delete it yourself")
    }
    return written.first.map { planToForget($0, in: places) }
  }

  private static func planToForget(
    _ file: WrittenFile, in places: ConfigurationPlaces
  ) -> DeviceFilePlan {
    .change(
      DeviceFileChange(
        purpose: nil, places: places, path: file.path, present: file.text, proposal: nil,
        device: nil))
  }

  private func plan(_ purpose: DeviceFilePurpose, _ text: String) throws -> DeviceFilePlan {
    if own?.text == text {
      return .nothing("\(own?.path.printable ?? "") already says this; nothing is written")
    }
    return .change(
      DeviceFileChange(
        purpose: purpose, places: places, path: try own?.path ?? newPath(), present: own?.text,
        proposal: text, device: device))
  }
}

extension DeviceFiles {
  /// Whether `take` or `leave` has written a file that is about a device.
  public static func isWritten(about device: DeviceDescription, by settings: Settings) -> Bool {
    settings.devices.contains { $0.pattern.matches(device) && WrittenFile($0) != nil }
  }

  /// The command that would have a device taken that is left alone: `take`, or `forget` for a keyboard after a `leave`.
  ///
  /// - Returns: `nil` if none would, if a file written by hand is in the way, or if it is better left alone: a
  ///   touchpad, a lid, a power button, what another program has made.
  public static func command(toTake device: DeviceDescription, by settings: Settings) -> String? {
    guard !device.isOptedOut else { return nil }
    let matching = settings.devices.filter { !$0.pattern.isEmpty && $0.pattern.matches(device) }
    let buttons = DeviceButtons(of: device)
    if let best = matching.max(by: { $0.pattern.specificity < $1.pattern.specificity }) {
      guard matching.allSatisfy({ WrittenFile($0) != nil }), best.isIgnored else { return nil }
      return buttons?.kind == .keyboard ? "forget" : "take"
    }
    guard device.isWorthNaming, let buttons, buttons.kind != .keyboard else { return nil }
    return "take"
  }
}

/// A file that `take` or `leave` has written.
private struct WrittenFile {
  let path: String
  let text: String

  /// - Returns: `nil` if the file was written by hand, or cannot be read.
  init?(_ device: DeviceSettings) {
    guard let bytes = try? WholeFile.read(device.file) else { return nil }
    text = String(decoding: bytes, as: UTF8.self)
    guard DeviceFilePurpose.isMarked(text) else { return nil }
    path = device.file
  }
}

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
  public let places: ConfigurationPlaces
  public let path: String
  public let present: String?
  public let proposal: String?
  /// The device that the new file is about.
  let device: DeviceDescription?

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
  public func checkAccess() throws(CalibratedFileError) {
    try CalibratedFile.checkAccess(
      toFolder: "\(places.path)/\(DeviceFiles.subfolder)", for: path)
  }

  /// Makes the change, atomically.
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
