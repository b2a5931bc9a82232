import Debounce
import EventDevices

/// The keys and the pattern that a device file mentions, with their places.
struct Mentions: Sendable {
  struct Key: Sendable {
    let code: KeyCode
    let name: String
    let place: SourcePlace
  }

  var pattern: SourcePlace?
  var keys: [Key] = []
  var chord: [Key] = []
}

extension LoadedSettings {
  /// Notes on device files that do not say which devices they are about.
  public var notes: [Problem] {
    settings.devices.filter { $0.pattern.isEmpty && $0.brokenFile == nil }.map {
      Problem(
        .file, severity: .note, file: $0.file, place: mentions[$0.file]?.pattern,
        message:
          "no line in [device] says which device the file is about: it holds for every keyboard that no other file "
          + "is about")
    }
  }

  /// The place of the lines in a device file that say which devices it is about; `nil` if it has none.
  public func place(ofPatternIn file: String) -> SourcePlace? { mentions[file]?.pattern }

  /// Warnings of device files that match none of the devices, and of named keys that none of a file's devices has.
  ///
  /// A keyboard is often several devices. So it is enough if one of the devices that a file matches has a key.
  public func warnings(forDevices present: [DeviceDescription]) -> [Problem] {
    settings.devices.filter { $0.brokenFile == nil }.flatMap { warnings(of: $0, present) }
      + panicChords(of: present).compactMap(\.warning)
  }

  private func warnings(
    of device: DeviceSettings, _ present: [DeviceDescription]
  ) -> [Problem] {
    let (file, mentions) = (device.file, mentions[device.file] ?? Mentions())
    let matching = present.filter { device.pattern.matches($0) }
    guard !matching.isEmpty else {
      return [
        Problem(
          .noMatch, severity: .note, file: file, place: mentions.pattern,
          message: "matches no device that is present; "
            + (present.contains(where: device.pattern.readAsHexadecimal.matches)
              ? "one would with 0x before the digits of its numbers" : Self.names(of: present)))
      ]
    }
    // A better file, or two equally good ones, may stand against this one.
    let own = matching.filter { (try? settings.device(for: $0))??.file == file }
    guard !own.isEmpty, !device.isIgnored else { return [] }
    guard device.includesVirtual || device.pattern.isEmpty || !own.allSatisfy(\.isVirtual) else {
      return [
        Problem(
          .file, severity: .warning, file: file, place: mentions.pattern,
          message: "only devices that other programs have made match: "
            + "add “virtual = true” to have them taken")
      ]
    }
    let owners =
      device.pattern.isEmpty && own.count > 1
      ? "any device that is present and has no file of its own"
      : TableReader.list(Set(own.map(\.quotedName)).sorted())
    return mentions.keys.filter { key in !own.contains { $0.keys?.contains(key.code) ?? true } }
      .map { key in
        Problem(
          .missingKey, severity: .warning, file: file, place: key.place,
          message: "“\(key.name)” is not a key of \(owners): this has no effect")
      }
  }

  /// The names of the devices that have keys.
  private static func names(of present: [DeviceDescription]) -> String {
    let names = Set(present.filter { $0.keys?.isEmpty != true }.map(\.quotedName))
    return names.isEmpty
      ? "“keydebounce list” shows them all" : "there are \(TableReader.list(names.sorted(), "and"))"
  }

  /// The panic chord of each keyboard that keydebounce does not leave alone.
  public func panicChords(of present: [DeviceDescription]) -> [KeyboardChord] {
    var keyboards: [[(node: DeviceDescription, settings: DeviceSettings?)]] = []
    for node in present where node.properties == nil || node.kinds.contains(.keyboard) {
      let own: DeviceSettings?
      do { own = try settings.device(for: node) } catch { continue }
      let isLeft = own.map { $0.isIgnored || $0.brokenFile != nil } ?? false
      guard !isLeft, !node.isVirtual || own?.includesVirtual == true else { continue }
      let id = node.identity.keyboard
      let index = keyboards.firstIndex { id != nil && $0[0].node.identity.keyboard == id }
      if let index { keyboards[index].append((node, own)) } else { keyboards.append([(node, own)]) }
    }
    return keyboards.flatMap { nodes in
      let names = nodes.map(\.node.quotedName)
      let keys = KeySet(nodes.flatMap { Array($0.node.keys ?? KeySet()) })
      var seen: Set<[KeyCode]> = []
      return nodes.map(\.settings)
        .filter { seen.insert($0?.panicChord ?? settings.panicChord).inserted }
        .map { chord(chosenBy: $0, on: keys, of: names) }
    }
  }

  /// - Parameter keys: The keys of all nodes of the keyboard together.
  private func chord(
    chosenBy device: DeviceSettings?, on keys: KeySet, of names: [String]
  ) -> KeyboardChord {
    let held = Settings.panicChord(device?.panicChord ?? settings.panicChord, on: keys)
    let isThere = held.allSatisfy(keys.contains)
    var chord = KeyboardChord(names: names, keys: isThere ? held : [])
    let own = device.flatMap { mentions[$0.file]?.chord } ?? []
    let mention = own.isEmpty ? defaultChord : device.map { ($0.file, own) }
    if let (file, chosen) = mention, let key = chosen.first(where: { !keys.contains($0.code) }) {
      let instead =
        isThere
        ? "there the panic chord is \(ConfigurationSummary.list(held))"
        : "there is no panic chord there"
      chord.warning = Problem(
        .missingChord, severity: .warning, file: file, place: key.place,
        message: "“\(key.name)” is not a key of \(TableReader.list(names, "and")): \(instead)")
    }
    return chord
  }
}

extension DeviceDescription {
  fileprivate var quotedName: String { "“\(identity.name)”" }
}

/// The panic chord on a keyboard, whose keys may be spread over several nodes.
public struct KeyboardChord: Sendable {
  public let names: [String]
  /// The keys of the chord; none if the keyboard lacks some of the chosen ones and some of the usual ones.
  public let keys: [KeyCode]
  /// The warning that the keyboard lacks keys that were chosen.
  public fileprivate(set) var warning: Problem?
}
