import Configuration
import Debounce
import Foundation
import Status
import TerminalText
import Testing

@testable import Calibration

@Suite("A calibration that is kept for another time")
struct StoredSessionTests {
  /// A folder that is gone with the value.
  private final class Place {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "keydebounce-\(UUID().uuidString)")

    var store: StoredSession {
      StoredSession(of: CalibrationSamples.device, in: folder.appending(path: "state/deep").path)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
  }

  /// A session of which some is done: typing on this many keys, and taps of `KEY_E`.
  private static func session(keys: Int = 5) -> GuidedSession {
    var session = GuidedSession()
    session.add(18)
    var now: Microseconds = 9_000_000_000
    func stroke(_ key: KeyCode, _ times: [Microseconds]) {
      for (index, time) in times.enumerated() {
        session.receive(Frame(time: now, [.key(key, down: index % 2 == 0)]))
        now += time
      }
      session.receive(Frame(time: now, [.key(key, down: false)]))
      session.advance(to: now + 160_000)
      now += 400_000
    }
    for index in 0..<40 {
      stroke(KeyCode(18 - index % keys), [80_000])
      stroke(18, index % 4 == 0 ? [8000, 9000, 70_000] : [90_000, 75_000, 90_000])
    }
    session.skip()
    for _ in 0..<10 { stroke(18, [8000, 9000, 70_000]) }
    return session
  }

  @Test("is its owner's alone, and is taken up as it was")
  func roundTrip() throws {
    let place = Place()
    let store = place.store
    #expect(try store.session() == nil)
    let session = Self.session()
    try store.store(session)
    let attributes = try FileManager.default.attributesOfItem(atPath: store.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let again = try #require(try store.session())
    #expect(again.request == session.request)
    #expect(again.progress == session.progress)
    #expect(again.analysis().diagnoses == session.analysis().diagnoses)
    store.remove()
    #expect(try store.session() == nil)
  }

  /// What is done to the file, and what is said of it.
  private static let damages:
    [(name: String, message: String, damage: @Sendable (inout String) -> Void)] = [
      ("empty", "damaged", { $0 = "" }),
      ("truncated", "damaged", { $0.removeLast($0.count / 2) }),
      ("without its last byte", "damaged", { $0.removeLast() }),
      ("of something else", "damaged", { $0 = "{\"format\":1}" }),
      ("a list", "damaged", { $0 = "[1,2,3]" }),
      ("of bytes", "damaged", { $0 = "\u{0}\u{1}\u{fffd}" }),
      (
        "of another version", "is of keydebounce 99.1.0, and cannot be taken up by",
        { $0.replace("\"version\":\"\(Version.current)\"", with: "\"version\":\"99.1.0\"") }
      ),
      (
        "of another format", "cannot be taken up by",
        { $0.replace("\"format\":1", with: "\"format\":2") }
      ),
      (
        "with a word for a number", "damaged",
        { $0.replace("\"taps\":60", with: "\"taps\":\"many\"") }
      ),
      ("with a beat of nothing", "damaged", { $0.replace("\"beat\":500000", with: "\"beat\":0") }),
      (
        "with more faults than strokes", "damaged",
        { $0.replace("\"faults\":10,\"strokes\":10", with: "\"faults\":10,\"strokes\":3") }
      ),
      (
        "with a key that nobody was to tap", "damaged",
        { $0.replace("\"suspects\":[18]", with: "\"suspects\":[19]") }
      ),
    ]

  @Test("is refused when it is damaged, with what is wrong, and left as it is", arguments: 0..<12)
  func damaged(_ index: Int) throws {
    let (name, message, damage) = Self.damages[index]
    #expect(Self.damages.count == 12)
    let place = Place()
    let store = place.store
    try store.store(Self.session())
    let whole = try String(contentsOfFile: store.path, encoding: .utf8)
    var text = whole
    damage(&text)
    try #require(text != whole, "\(name)")
    try text.write(toFile: store.path, atomically: false, encoding: .utf8)
    let error = #expect(throws: StoredSessionError.self, "\(name)") { try store.session() }
    #expect("\(error.map { "\($0)" } ?? "")".contains(message), "\(name)")
    #expect("\(error.map { "\($0)" } ?? "")".contains(store.path), "\(name)")
    #expect(try String(contentsOfFile: store.path, encoding: .utf8) == text)
  }

  @Test("is refused when it cannot be read")
  func unreadable() throws {
    let place = Place()
    let store = place.store
    try FileManager.default.createDirectory(atPath: store.path, withIntermediateDirectories: true)
    let error = #expect(throws: StoredSessionError.self) { try store.session() }
    #expect("\(error.map { "\($0)" } ?? "")".hasPrefix("cannot read \(store.path)"))
  }

  @Test("is refused or can be gone on with, whatever stands in the place of a number")
  func anything() throws {
    let data = Data(try StatusJSON.encode(Self.session(keys: 1)))
    let tree = try JSONSerialization.jsonObject(with: data)
    let places = leaves(of: tree)
    // A histogram's bins are all alike.
    #expect((40...250).contains(places.count), "\(places.count)")
    var refused = 0
    var accepted = 0
    for place in places {
      for value: Any in [-1, 1_000_000_000, Int.max, -1e300] {
        let damaged = try JSONSerialization.data(
          withJSONObject: replacing(place[...], in: tree, by: value))
        guard var session = try? StatusJSON.decode(GuidedSession.self, from: Array(damaged)) else {
          refused += 1
          continue
        }
        accepted += 1
        goOn(&session, isJudged: value as? Int == 1_000_000_000)
      }
    }
    #expect(refused > 100, "\(refused)")
    #expect(accepted > 50, "\(accepted)")
  }

  /// Does with a session what the command does.
  private func goOn(_ session: inout GuidedSession, isJudged: Bool) {
    var now: Microseconds = 1_000_000
    for _ in 0..<2 {
      for time in [0, 8000, 9000, 70_000] as [Microseconds] {
        now += time
        session.receive(Frame(time: now, [.key(18, down: time == 0 || time == 9000)]))
      }
      now += 400_000
      session.advance(to: now)
      let lines = GuidedScreen(title: "x", session: session, now: now)
        .lines(on: Sheet(columns: 80, rows: 24))
      #expect(lines.count < 24)
      #expect((0...1).contains(session.fraction))
      session.skip()
    }
    guard isJudged else { return }
    let result = CalibrationResult(
      device: CalibrationSamples.device, method: .guided, of: session.observer)
    #expect(!CalibrationText(of: result, on: Sheet(columns: 80)).text.isEmpty)
    #expect(!DeviceFileText(result).text.isEmpty)
    #expect(!ReportPage(of: result, file: nil).html.isEmpty)
  }

  /// The ways to all values that are no tables and lists; of lists to the first two.
  private func leaves(of tree: Any) -> [[Any]] {
    switch tree {
    case let table as [String: Any]:
      table.sorted { $0.key < $1.key }.flatMap { key, value in
        leaves(of: value).map { [key as Any] + $0 } + [[key as Any]]
      }
    case let list as [Any]:
      list.enumerated().prefix(2).flatMap { index, value in
        leaves(of: value).map { [index as Any] + $0 }
      }
    default: [[]]
    }
  }

  private func replacing(_ place: ArraySlice<Any>, in tree: Any, by value: Any) -> Any {
    guard let first = place.first else { return value }
    switch (tree, first) {
    case (var table as [String: Any], let key as String):
      table[key] = replacing(place.dropFirst(), in: table[key] ?? NSNull(), by: value)
      return table
    case (var list as [Any], let index as Int):
      list[index] = replacing(place.dropFirst(), in: list[index], by: value)
      return list
    default: return tree
    }
  }
}
