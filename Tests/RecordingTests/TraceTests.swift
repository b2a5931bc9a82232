import Configuration
import Debounce
import Devices
import Foundation
import Recording
import Testing

/// Recordings that people have published, with the packaged defaults. Where each is from stands in its head; a
/// press that is chatter, as its author says, is marked `BOUNCE`.
@Suite("Published recordings")
struct TraceTests {
  /// A press, by its time and key.
  private struct Press: Hashable {
    let time: Microseconds
    let key: KeyCode
  }

  /// Presses that vanish and are no chatter, and why that is right. There are none: what a program types in
  /// python-evdev-187-macro, faster than any finger, passes whole.
  private static let eaten: [String: [Press]] = [:]

  /// Chatter that passes, and why it must. There is none: a first drop-out, with nothing learned yet, would
  /// stand here. (The one in keyd-999-t1 lasts 64 ms and is not marked: no threshold finds it.)
  private static let passed: [String: [Press]] = [:]

  private static let folder = fixtures.appending(path: "traces")

  private static let names: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".evemu") }.map { String($0.dropLast(6)) }.sorted()

  @Test("are all there")
  func completeness() {
    #expect(Self.names.count == 15)
    #expect(Set(Self.eaten.keys).union(Self.passed.keys).isSubset(of: Self.names))
  }

  @Test("lose their chatter and nothing else", arguments: names)
  func trace(name: String) throws {
    let text = try String(
      contentsOf: Self.folder.appending(path: "\(name).evemu"), encoding: .utf8)
    let (device, entries) = try read(Array(text.utf8))
    #expect(device.identity.name == name)
    #expect(text.contains("# source: https://"))

    var replay = Replay(Settings.packaged.rules)
    for entry in entries { replay.process(entry) }
    replay.finish()
    let vanished = Set(replay.suppressed.map { Press(time: $0.time, key: $0.key) })
    let expected = try bounces(in: text).subtracting(Self.passed[name] ?? [])
      .union(Self.eaten[name] ?? [])
    #expect(vanished == expected)
  }

  /// The presses that are marked as chatter.
  private func bounces(in text: String) throws -> Set<Press> {
    var presses: Set<Press> = []
    for line in text.split(separator: "\n") where line.hasPrefix("E:") && line.contains("BOUNCE") {
      guard case .raw(let frame) = try read("\(line)\nE: 9999.0 0000 0000 0\n").first,
        let event = frame.events.first, event.value == 1
      else { continue }
      let time = line.split(separator: " ")[1].split(separator: ".")
      presses.insert(
        Press(
          time: try #require(Microseconds(time[0])) * 1_000_000
            + (try #require(Microseconds(time[1]))), key: event.code))
    }
    return presses
  }
}
