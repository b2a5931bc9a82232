import Debounce
import Devices

/// Settings as they were read from files, with what messages need: where in the files they stand.
public struct LoadedSettings: Sendable {
  public let settings: Settings
  /// The files, in the order in which they were read.
  public let files: [String]
  /// What is legal in them but unwise, by file and line.
  public let warnings: [Problem]
  /// What each device file mentions, by the file's path.
  let mentions: [String: Mentions]

  /// Where in a device file the lines begin that say which devices it is about; `nil` if it has none.
  public func place(ofPatternIn file: String) -> SourcePlace? { mentions[file]?.pattern }

  /// Device files that match none of the devices, and keys that they name and none of their devices has.
  ///
  /// A keyboard is often several devices: a key that is missing on one of those that a file matches is no mistake
  /// if another has it.
  public func warnings(forDevices present: [DeviceDescription]) -> [Problem] {
    settings.devices.flatMap { device -> [Problem] in
      let mentions = mentions[device.file] ?? Mentions()
      let matching = present.filter { device.pattern.matches($0) }
      guard !matching.isEmpty else {
        return [
          Problem(
            .file, severity: .warning, file: device.file, place: mentions.pattern,
            message: "matches no device that is present; “keydebounce list” shows them all"
          )
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
        let names = Set(own.map { "“\($0.identity.name)”" }).sorted()
        return Problem(
          .missingKey, severity: .warning, file: device.file, place: key.place,
          message: "“\(key.name)” is not a key of \(TableReader.list(names)): "
            + (key.isInChord ? "the panic chord cannot be held there" : "this has no effect"))
      }
    }
  }
}

/// What a device file mentions, and where.
struct Mentions: Sendable {
  /// A key that the file names.
  struct Key: Sendable {
    var code: KeyCode
    var name: String
    var place: SourcePlace?
    var isInChord = false
  }

  /// Where its pattern stands.
  var pattern: SourcePlace?
  var keys: [Key] = []
}
