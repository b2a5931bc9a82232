import Debounce
import Foundation
import Recording
import Testing

@testable import Calibration

/// Recordings that people have published: they are short, and a diagnosis of a few strokes must not be bold.
@Suite("Published recordings")
struct TraceTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures/traces")

  private static let names: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".evemu") }.map { String($0.dropLast(6)) }.sorted()

  /// The faults that are seen, by recording and key. In keyd-999-t1 a held Ctrl drops out for 64 ms after a hold of
  /// three seconds: as free typing that is a double for all one can tell. In invictus-ceed6af the second press has
  /// no end.
  private static let faults: [String: [KeyCode: Int]] = [
    "invictus-e1f13b6": [37: 1],
    "kbdcheck-modelm-chatter": [8: 2],
    "python-evdev-187-macro": [18: 1],
  ]

  /// Recordings in which so much is certain that a switch is called bad.
  private static let bad: Set<String> = ["kbdcheck-modelm-chatter"]

  private func observed(_ name: String, during phase: Phase = .typing) throws -> Observer {
    var bytes = try ArraySlice(
      Data(contentsOf: Self.folder.appending(path: "\(name).evemu")))
    var reader = RecordingReader(file: name) { buffer in
      let part = bytes.prefix(buffer.count)
      buffer.copyBytes(from: part)
      bytes = bytes.dropFirst(part.count)
      return part.count
    }
    var observer = Observer()
    var last: Microseconds = 0
    while let entry = try reader.next() {
      guard case .raw(let frame) = entry else { continue }
      observer.receive(frame, during: phase)
      last = frame.time
    }
    observer.advance(to: last + 1_000_000)
    return observer
  }

  @Test("show their chatter, and few strokes prove little", arguments: names)
  func trace(name: String) throws {
    let observer = try observed(name)
    var faults: [KeyCode: Int] = [:]
    for key in observer.observedKeys where observer[key].faults.total > 0 {
      faults[key] = observer[key].faults.total
    }
    #expect(faults == Self.faults[name] ?? [:])
    let diagnoses = Analysis(observer).diagnoses
    for diagnosis in diagnoses {
      print("\(name): key \(diagnosis.key), \(diagnosis.strokes) strokes, \(diagnosis.finding)")
    }
    #expect(diagnoses.contains { $0.isFaulty } == Self.bad.contains(name))
  }

  @Test("a drop-out of 64 ms is one where a long hold was asked for")
  func hold() throws {
    let observer = try observed("keyd-999-t1", during: .holds(29))
    #expect(observer[29].faults.dropOuts == 1)
    #expect(observer[29].holds == FaultRate(faults: 1, strokes: 1))
    #expect(observer[29].test.certainty > 0)
  }

  @Test("are all there")
  func completeness() {
    #expect(Self.names.count == 15)
  }
}
