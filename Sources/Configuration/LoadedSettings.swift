import Debounce
import EventDevices

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
          message: "“\(key.name)” is not a key of \(TableReader.list(names)): this has no effect")
      }
    } + panicChords(of: present).compactMap(\.warning)
  }

  /// Which panic chord holds on which of the keyboards that are not left alone.
  public func panicChords(of present: [DeviceDescription]) -> [KeyboardChord] {
    var keyboards: [[(node: DeviceDescription, settings: DeviceSettings?)]] = []
    for node in present where node.properties?["ID_INPUT_KEYBOARD", default: "0"] ?? "1" == "1" {
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
