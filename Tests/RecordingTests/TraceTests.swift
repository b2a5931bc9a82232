import Configuration
import Debounce
import EventDevices
import Foundation
import Recording
import Testing

/// Recordings that people have published, and in `field` those made after what they report, with the packaged defaults.
/// Where each is from stands in its head; a press that is chatter, as its author says, is marked `BOUNCE`.
@Suite("Published recordings")
struct TraceTests {
  /// A press, by its time and key.
  private struct Press: Hashable {
    let time: Microseconds
    let key: KeyCode
  }

  /// Presses that vanish and are no chatter, and why that is right: what a knob turns is known for a machine's after eight
  /// steps alone.
  private static let eaten: [String: [Press]] = [
    "field/knob-arrows-300": [
      Press(time: 3_726_000, key: 105), Press(time: 3_870_000, key: 105),
    ]
  ]

  /// Chatter that passes, and why it must: a key's first blip 45 ms after its release, of which nothing is known yet. (The
  /// drop-out in keyd-999-t1 lasts 64 ms and is not marked: no threshold finds it.)
  private static let passed: [String: [Press]] = [
    "field/long-gap-45": [Press(time: 593_134, key: 57)],
    "field/min-named-threshold": [Press(time: 140_000, key: 57)],
  ]

  private static let folder = fixtures.appending(path: "traces")

  private static let names = ["", "field/"].flatMap { place in
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/" + place)) ?? [])
      .filter { $0.hasSuffix(".evemu") }.map { place + $0.dropLast(6) }.sorted()
  }

  @Test("are all there")
  func completeness() {
    #expect(Self.names.count == 15 + 12)
    #expect(Set(Self.eaten.keys).union(Self.passed.keys).isSubset(of: Self.names))
  }

  @Test("lose their chatter and nothing else", arguments: names)
  func trace(name: String) throws {
    let (text, vanished) = try replay(name, Settings.packaged.rules)
    let isMade = text.contains("# source: made by hand")
    #expect(isMade ? name.hasPrefix("field/") : text.contains("# source: https://"))
    let expected = try bounces(in: text).subtracting(Self.passed[name] ?? [])
      .union(Self.eaten[name] ?? [])
    #expect(vanished == expected)
  }

  @Test(
    "lose all of it where the settings name the key",
    arguments: ["field/long-gap-45", "field/min-named-threshold"])
  func named(name: String) throws {
    let space = Strategy.adaptive(Adaptive(threshold: 60_000, isNamed: true))
    let (text, vanished) = try replay(name, Rules(keys: [57: space]))
    #expect(try vanished == bounces(in: text))
  }

  /// The recording's text, and the presses that vanish.
  private func replay(_ name: String, _ rules: Rules) throws -> (text: String, vanished: Set<Press>)
  {
    let text = try String(
      contentsOf: Self.folder.appending(path: "\(name).evemu"), encoding: .utf8)
    let (device, entries) = try read(Array(text.utf8))
    #expect(device.identity.name == name.split(separator: "/").last.map(String.init))
    let vanished = replayed(entries, rules).suppressed.map { Press(time: $0.time, key: $0.key) }
    return (text, Set(vanished))
  }

  /// The presses that are marked as chatter.
  private func bounces(in text: String) throws -> Set<Press> {
    var presses: Set<Press> = []
    for line in text.split(separator: "\n") where line.hasPrefix("E:") && line.contains("BOUNCE") {
      let time = line.split(separator: " ")[1]
      guard case .raw(let frame) = try read("\(line)\nE: \(time) 0000 0000 0\n").first,
        let event = frame.events.first, event.value == 1
      else { continue }
      presses.insert(Press(time: frame.time, key: event.code))
    }
    return presses
  }
}
