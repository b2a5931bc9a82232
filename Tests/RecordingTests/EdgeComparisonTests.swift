import Debounce
import Foundation
import Recording
import StrokeFixtures
import Testing

@Suite("Raw edges beside clean ones")
struct EdgeComparisonTests {
  static let files = ((try? FileManager.default.contentsOfDirectory(atPath: fixtures.path)) ?? [])
    .filter { $0.hasSuffix(".strokes") }.sorted()

  private func edges(_ steps: [EdgeComparison.Step], raw: Bool) -> [EdgeComparison.Edge] {
    steps.compactMap { step in
      switch step {
      case .raw(let shown): raw || shown.fate == .passed ? shown.edge : nil
      case .late(let edge, _): raw ? nil : edge
      default: nil
      }
    }
  }

  private func counted(_ edges: [EdgeComparison.Edge]) -> [String] {
    edges.map { "\(Edge($0.key, down: $0.isPress, at: $0.time))" }
  }

  @Test("is what comes in and what the engine gives out, for every strategy", arguments: files)
  func fixture(_ file: String) throws {
    for stroke in try StrokeCase.load(fixtures.appending(path: file).path) {
      var comparison = EdgeComparison(stroke.rules)
      for frame in stroke.raw.frames { comparison.process(frame) }
      comparison.advance(to: .max)
      // What strokes mean is passed on by other keys' names: see `MonitorLinesTests`.
      if stroke.rules.meanings.isEmpty {
        #expect(
          counted(edges(comparison.steps, raw: false)) == stroke.clean.map { "\($0)".unjoined },
          "\(stroke)")
      }
      #expect(
        counted(edges(comparison.steps, raw: true)) == stroke.raw.map { "\($0)".unjoined },
        "\(stroke)")
      // Every edge that waits says for how long at most: nothing is later than it was said to be.
      var limits: [KeyCode: Microseconds] = [:]
      for step in comparison.steps {
        if case .raw(let raw) = step, case .waits(let length) = raw.fate {
          #expect(length > 0, "\(stroke)")
          limits[raw.edge.key] = raw.edge.time + length
        }
        // What vanishes waits for nothing; if it proves meant after all, that is another matter.
        if case .raw(let raw) = step, case .removed = raw.fate { limits[raw.edge.key] = nil }
        if case .postponed(let edge, let length) = step { limits[edge.key] = edge.time + length }
        if case .late(let edge, _) = step, let limit = limits[edge.key] {
          #expect(edge.time <= limit, "\(stroke)")
        }
      }
    }
  }

  @Test("is known at each moment: what comes later changes no line")
  func timeliness() throws {
    for file in Self.files {
      for stroke in try StrokeCase.load(fixtures.appending(path: file).path) {
        var (lazy, eager) = (EdgeComparison(stroke.rules), EdgeComparison(stroke.rules))
        for frame in stroke.raw.frames {
          lazy.process(frame)
          while let deadline = eager.deadline, deadline < frame.time {
            eager.advance(to: deadline)
          }
          eager.process(frame)
        }
        lazy.advance(to: .max)
        while let deadline = eager.deadline { eager.advance(to: deadline) }
        #expect(lazy.steps == eager.steps, "\(stroke)")
        #expect(lazy.tally == eager.tally, "\(stroke)")
      }
    }
  }

  @Test("counts what the replay of a recording counts")
  func counts() throws {
    var comparison = EdgeComparison(Rules())
    var replay = Replay(Rules())
    var start: Microseconds = 0
    for stroke in try StrokeCase.load(fixtures.appending(path: "chatter.strokes").path) {
      for var frame in stroke.raw.frames {
        frame.time += start
        comparison.process(frame)
        replay.process(.raw(frame))
      }
      start += 2_000_000
    }
    comparison.advance(to: .max)
    replay.finish()
    #expect(comparison.tally.counters == replay.counters)
    // Each is called the same, too.
    var names: [Removal] = []
    for step in comparison.steps {
      switch step {
      case .raw(let raw): if case .removed(let removal) = raw.fate { names.append(removal) }
      case .renamed(_, let removal):
        #expect(names.last == .dropOut)
        names[names.count - 1] = removal
      default: break
      }
    }
    #expect(
      names.contains(.dropOut)
        && comparison.steps.contains {
          if case .renamed = $0 { true } else { false }
        })
    #expect(names == replay.suppressed.sorted { $0.time < $1.time }.map(\.kind))
  }

  @Test("shows of a press that was locked out while it waited that it did not pass")
  func withheld() {
    let group = Group(keys: [30, 31], lockout: 90_000)
    var comparison = EdgeComparison(Rules(strategy: .confirm(Confirm()), groups: [group]))
    // The second press is so soon that it waits for 30 ms.
    let edges = [(0, 31, true), (100, 31, false), (120, 31, true), (130, 30, true)]
    for (time, key, isPress) in edges {
      comparison.process(
        Frame(time: Microseconds(time) * 1000, [.key(KeyCode(key), down: isPress)]))
    }
    #expect(comparison.deadline == 150_000)
    comparison.removeSteps()
    comparison.advance(to: 150_000)
    comparison.process(Frame(time: 200_000, [.key(31, down: false)]))
    #expect(
      comparison.steps == [
        .withheld(.init(time: 150_000, key: 31, isPress: true)),
        .raw(
          .init(
            edge: .init(time: 200_000, key: 31, isPress: false), interval: 80_000,
            fate: .removed(.lockedOut))),
      ])
    #expect(comparison.tally.counters.lockedOut == 1)
  }
}

extension String {
  /// The edge without the sign that it belongs to the frame before.
  fileprivate var unjoined: String { replacing("& ", with: "") }
}
