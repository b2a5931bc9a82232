import Debounce
import Foundation
import Recording
import Samples
import Testing

@testable import Calibration

/// Recordings that people have published: they are short, and a diagnosis of a few strokes must not be bold.
@Suite("Findings in published recordings")
struct TraceFindingsTests {
  private static let folder = fixtures.appending(path: "traces")

  private static let names: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".evemu") }.map { String($0.dropLast(6)) }.sorted()

  /// The faulty strokes that are seen, by recording and key. In keyd-999-t1 a held Ctrl drops out for 64 ms after a hold of
  /// three seconds: as free typing that is a double for all one can tell. In invictus-ceed6af the second press has
  /// no end. What python-evdev-187-macro has is a machine's.
  private static let faults: [String: [KeyCode: Int]] = [
    "invictus-e1f13b6": [37: 1],
    "kbdcheck-modelm-chatter": [8: 2],
  ]

  /// Recordings in which so much is certain that a switch is called worn.
  private static let worn: Set<String> = ["kbdcheck-modelm-chatter"]

  private func tape(_ name: String, during exercise: Exercise = .typing) throws -> Tape {
    var bytes = try ArraySlice(
      Data(contentsOf: Self.folder.appending(path: "\(name).evemu")))
    var reader = RecordingReader(file: name) { buffer in
      let part = bytes.prefix(buffer.count)
      buffer.copyBytes(from: part)
      bytes = bytes.dropFirst(part.count)
      return part.count
    }
    var tape = Tape()
    while let entry = try reader.next() {
      guard case .raw(let frame) = entry else { continue }
      tape.receive(frame, during: exercise)
    }
    return tape
  }

  @Test("show their chatter, and few strokes prove little", arguments: names)
  func trace(name: String) throws {
    let findings = Findings(of: try tape(name)).keys
    var faults: [KeyCode: Int] = [:]
    for finding in findings where finding.rate.faults > 0 {
      faults[finding.key] = finding.rate.faults
    }
    for finding in findings {
      print("\(name): key \(finding.key), \(finding.strokes) strokes, \(finding.verdict)")
    }
    #expect(faults == Self.faults[name] ?? [:])
    #expect(findings.contains { $0.isWorn } == Self.worn.contains(name))
    // Of so few strokes nothing is certain enough for a line.
    #expect(findings.allSatisfy { $0.line == nil })
  }

  @Test("a drop-out of 64 ms is one where a long hold was asked for")
  func hold() throws {
    let strokes = Labels(of: try tape("keyd-999-t1", during: .holds(29))).strokes
    #expect(strokes.count { $0.key == 29 } == 1)
  }

  @Test("are all there")
  func completeness() {
    #expect(Self.names.count == 15)
  }
}
