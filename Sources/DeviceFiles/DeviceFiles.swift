import Configuration
import EventDevices
import Files
import Glibc
import SystemPackage
import Terminal

/// The files in `devices.d` about one device, and the changes that `take`, `leave` and `forget` make to them.
public struct DeviceFiles {
  private let places: ConfigurationPlaces
  public let settings: Settings
  private let device: DeviceDescription
  /// The part of the device that is meant, such as `input1`; `nil` if no other part with its name and numbers is plugged in.
  /// A mouse may contain a keyboard.
  private let interface: String?
  /// The file that `take` or `leave` has written about the device.
  private let own: WrittenFile?
  /// A file about the device that somebody wrote by hand, and where it names the device.
  private let byHand: (file: DeviceSettings, place: String)?

  /// - Parameters:
  ///   - others: The other devices that are plugged in. The file must not match them.
  ///   - places: Where the configuration is; the file is written into the last folder, which need not exist.
  /// - Throws: ``ConfigurationErrors`` if the present configuration is wrong; ``DeviceFileError``.
  public init(
    about device: DeviceDescription, beside others: [DeviceDescription] = [],
    in places: ConfigurationPlaces
  ) throws {
    let loaded = try Self.load(places)
    (self.places, self.device, settings) = (places, device, loaded.settings)
    let hasTwin = others.contains { other in
      (other.name, other.vendor, other.product, other.uniq ?? "")
        == (device.name, device.vendor, device.product, device.uniq ?? "")
        && other.interface != nil && other.interface != device.interface
    }
    interface = hasTwin ? device.interface : nil
    let files = settings.devices.about(device)
    own = files.lazy.compactMap { WrittenFile($0) }.first
    byHand = files.first { WrittenFile($0) == nil }.map { file in
      let line = loaded.place(ofPatternIn: file.file)?.line
      return (file: file, place: line.map { "\(file.file):\($0)" } ?? file.file)
    }
  }

  private static func load(_ places: ConfigurationPlaces) throws -> LoadedSettings {
    var status = stat()
    guard stat(places.path, &status) != 0 || status.st_mode & S_IFMT == S_IFDIR else {
      throw DeviceFileError(
        "\(places.path.printable) is a file; expected a configuration folder, in which \(ConfigurationPlaces.devicesFolder) is"
      )
    }
    return try LoadedSettings(readingFrom: places)
  }
}

/// A file in `devices.d` that `take` or `leave` has written.
struct WrittenFile {
  let path: String
  let text: String

  /// - Returns: `nil` if the file was written by hand, or cannot be read.
  init?(_ device: DeviceSettings) {
    guard let bytes = try? WholeFile.read(device.file) else { return nil }
    (path, text) = (device.file, String(decoding: bytes, as: UTF8.self))
    guard DeviceFilePurpose.take.hasWritten(text) || DeviceFilePurpose.leave.hasWritten(text) else {
      return nil
    }
  }
}

extension [DeviceSettings] {
  /// The files that are about a device, the most specific first. A file without a pattern is about every device, and left
  /// out.
  func about(_ device: DeviceDescription) -> Self {
    filter { !$0.pattern.isEmpty && $0.pattern.matches(device) }
      .sorted { $0.pattern.specificity > $1.pattern.specificity }
  }
}

extension DeviceDescription {
  /// The last part of `phys`, such as `input1`. It is the same in whichever socket the device is plugged.
  fileprivate var interface: String? {
    guard let phys = identity.phys, let slash = phys.lastIndex(of: "/") else { return nil }
    let last = phys[phys.index(after: slash)...]
    return last.isEmpty ? nil : String(last)
  }
}

// MARK: - Plans

extension DeviceFiles {
  /// Plans to have the device taken, each of its buttons with a strategy.
  ///
  /// - Parameter reason: Why it is left alone now; `nil` if it is taken.
  /// - Throws: ``DeviceFileError`` if a file written by hand is in the way, or the device has no button.
  public func planToTake(leftBecause reason: String?) throws -> DeviceFilePlan {
    let title = device.name.printable
    guard let buttons = DeviceButtons(of: device) else {
      throw DeviceFileError(
        "“\(title)” has no button that a file could name: there is nothing to debounce")
    }
    if let (file, place) = byHand {
      guard let reason else {
        return .nothing(
          "keydebounce already debounces “\(title)”, because of \(place.printable), which was written by hand"
        )
      }
      throw file.isIgnored
        ? Self.inTheWay(place, advice: "Delete “ignore = true” there")
        : Self.inTheWay(
          place, advice: "It is left alone (\(reason)). Write there what follows",
          lines: buttons.settings)
    }
    if buttons.kind == .keyboard, own == nil, reason == nil {
      return .nothing("“\(title)” is a keyboard, and taken without a file of its own")
    }
    return try plan(.take, settings: "\n" + buttons.settings)
  }

  public func planToLeave() throws -> DeviceFilePlan {
    guard let (file, place) = byHand else { return try plan(.leave, settings: "ignore  = true\n") }
    guard file.isIgnored else {
      throw Self.inTheWay(place, advice: "Write “ignore = true” below its [device]")
    }
    return .nothing(
      "“\(device.name.printable)” is left alone already, by \(place.printable), which was written by hand"
    )
  }

  private static func inTheWay(
    _ place: String, advice: String, lines: String = ""
  ) -> DeviceFileError {
    DeviceFileError(
      """
      \(place.printable) is about this device already, and was written by hand: nothing was written. \
      \(advice), and call “sudo keydebounce reload”\(lines.isEmpty ? "" : ":")
      """
        + lines.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { "\n    \($0)" }.joined())
  }

  /// Plans to delete the file that `take` or `leave` has written.
  public func planToForget() -> DeviceFilePlan {
    if let own { return Self.planToForget(own, in: places) }
    let other = byHand.map { "; \($0.place.printable) was written by hand: delete it yourself" }
    return .nothing(
      "neither take nor leave has written about “\(device.name.printable)”\(other ?? "")")
  }

  /// The paths of the files that `take` and `leave` have written.
  public static func written(in places: ConfigurationPlaces) throws -> [String] {
    try load(places).settings.devices.compactMap { WrittenFile($0)?.path }
  }

  /// Plans to delete the file about a device that need not be plugged in.
  ///
  /// - Parameter name: The path of the file, or a part of the device's name.
  /// - Returns: `nil` if there is no such file.
  public static func planToForget(
    named name: String, in places: ConfigurationPlaces
  ) throws -> DeviceFilePlan? {
    let files = try load(places).settings.devices
    let path = resolvedPath(name)
    let exact = files.filter { resolvedPath($0.file) == path }
    // Earlier versions wrote names as they are.
    let wanted = [name, Glob.escaping(name)].map { $0.lowercased() }
    let named = files.filter { file in
      let pattern = file.pattern.name?.pattern.lowercased()
      return wanted.contains { pattern?.contains($0) ?? false }
    }
    let meant = exact.isEmpty ? named : exact
    let written = meant.compactMap { WrittenFile($0) }
    guard written.count < 2 else {
      throw DeviceFileError(
        "several files are meant by “\(name.printable)”; name one: "
          + written.map(\.path.printable).joined(separator: ", "))
    }
    if let file = meant.first, written.isEmpty {
      return .nothing("\(file.file.printable) was written by hand: delete it yourself")
    }
    return written.first.map { planToForget($0, in: places) }
  }

  private static func planToForget(
    _ file: WrittenFile, in places: ConfigurationPlaces
  ) -> DeviceFilePlan {
    guard file.path.hasPrefix("\(places.path)/") else {
      return .nothing(
        "\(file.path.printable) is not in \(places.path.printable): delete it yourself")
    }
    return .change(
      DeviceFileChange(
        purpose: nil, places: places, path: file.path, present: file.text, proposal: nil,
        device: nil))
  }

  /// - Parameter settings: The lines below those that say which device the file is about.
  private func plan(_ purpose: DeviceFilePurpose, settings: String) throws -> DeviceFilePlan {
    let (what, opposite) =
      purpose == .take ? ("takes this device", "leave") : ("leaves this device alone", "take")
    let manners = TOML.comment(
      """
      keydebounce \(what) because of this file. “keydebounce forget” deletes the file, “keydebounce \(opposite)” replaces it, \
      whatever you have changed in it. Delete the first line, and it is a file of your own, which they never touch.
      """)
    let phys = interface.map { "phys    = \(TOML.quoted("*/" + Glob.escaping($0)))\n" } ?? ""
    let text = "\(purpose.mark)\n\(manners)\n\(TOML.table(of: device))\(phys)\(settings)"
    if let own, own.text == text {
      return .nothing("\(own.path.printable) already says this; nothing is written")
    }
    let part = interface.map { "-" + $0.lettersAndDigits.lowercased() } ?? ""
    let path = try DeviceFileChange.path(
      replacing: own?.path, named: device.fileName + part,
      in: "\(places.path)/\(ConfigurationPlaces.devicesFolder)", beside: self.settings.devices)
    return .change(
      DeviceFileChange(
        purpose: purpose, places: places, path: path, present: own?.path == path ? own?.text : nil,
        proposal: text, device: device))
  }

  /// The command that makes keydebounce take a device that it leaves alone: `take`, or `forget` for a keyboard after a `leave`.
  ///
  /// - Returns: `nil` if no command would, if a file written by hand is in the way, or if the device is better left alone: a
  ///   touchpad, a lid, a power button, a device that another program has made.
  public static func command(toTake device: DeviceDescription, by settings: Settings) -> String? {
    guard !device.isOptedOut else { return nil }
    let files = settings.devices.about(device)
    let buttons = DeviceButtons(of: device)
    if let best = files.first {
      guard files.allSatisfy({ WrittenFile($0) != nil }), best.isIgnored else { return nil }
      return buttons?.kind == .keyboard ? "forget" : "take"
    }
    guard device.isWorthNaming, let buttons, buttons.kind != .keyboard else { return nil }
    return "take"
  }
}
