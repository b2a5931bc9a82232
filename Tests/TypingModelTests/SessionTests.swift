import Debounce
import Testing

@testable import TypingModel

/// Raw edges and the truth about them.
@Suite struct SessionTests {
  private func session(
    chains: Double = 0.15, poll: Microseconds = 1000, isWireless: Bool = false, seed: UInt64 = 7
  ) -> Session {
    var wear = Wear()
    wear.faultyKeys = 0.5
    wear.rate = 0.2
    wear.chains = chains
    return Session(
      presses: 20_000, wear: wear, link: Link(poll: poll, isWireless: isWireless), seed: seed)
  }

  @Test("Edges are in order, and those of a key alternate")
  func order() {
    for (poll, isWireless) in [(1000, false), (8000, false), (1000, true)] {
      var time: Microseconds = 0
      var isDown: [KeyCode: Bool] = [:]
      var disorder = 0
      for edge in session(poll: Microseconds(poll), isWireless: isWireless).edges {
        if edge.time < time || edge.down == isDown[edge.key] ?? false { disorder += 1 }
        time = edge.time
        isDown[edge.key] = edge.down
      }
      #expect(disorder == 0)
      #expect(!isDown.values.contains(true))
    }
  }

  @Test("Each stroke has one press and one release of the finger, and a fault the rest")
  func labels() {
    let session = session()
    var edges = [[RawEdge]](repeating: [], count: session.strokes.count)
    for edge in session.edges { edges[edge.stroke].append(edge) }
    for (stroke, edges) in zip(session.strokes, edges) {
      let finger = edges.filter { $0.fault == nil }
      #expect(finger.map(\.down) == [true, false])
      #expect(finger.map(\.time) == [stroke.stroke.press, stroke.stroke.release])
      #expect(edges.first == finger.first)
      #expect(edges.count % 2 == 0)
      #expect((edges.count > 2) == (stroke.fault != nil))
      #expect(edges.allSatisfy { $0.fault == nil || $0.fault == stroke.fault })
      #expect(stroke.fault == nil || stroke.isOfFaultyKey)
      // A bounce of the release comes after the finger's; other faults end before it.
      #expect((edges.last == finger.last) == (stroke.fault != .releaseBounce))
    }
  }

  @Test("Faults have the shares, the rate and the gaps that they should")
  func faults() {
    let session = session(chains: 0)
    let faulty = session.strokes.filter(\.isOfFaultyKey)
    let faults = faulty.compactMap(\.fault)
    let rate = Double(faults.count) / Double(faulty.count)
    #expect((0.18...0.22).contains(rate))
    let shares: [(Chatter, Double)] = [
      (.pressBounce, 0.45), (.releaseBounce, 0.25), (.dropOut, 0.30),
    ]
    for (chatter, share) in shares {
      let found = Double(faults.count { $0 == chatter }) / Double(faults.count)
      #expect(abs(found - share) < 0.03, "\(chatter): \(found)")
    }

    var gaps: [Microseconds] = []
    var released: [KeyCode: RawEdge] = [:]
    for edge in session.edges {
      if !edge.down {
        released[edge.key] = edge
      } else if let release = released[edge.key], release.stroke == edge.stroke {
        gaps.append(edge.time - release.time)
      }
    }
    gaps.sort()
    #expect((9_000...11_000).contains(gaps[gaps.count / 2]))
    #expect((gaps.first ?? 0) >= 1000)
    #expect((gaps.last ?? 0) <= 61_000)
  }

  /// How many contacts the faulty strokes have besides the finger's.
  private func bounces(in session: Session) -> Set<Int> {
    var edges = [Int](repeating: 0, count: session.strokes.count)
    for edge in session.edges { edges[edge.stroke] += 1 }
    let faulty = zip(session.strokes, edges).filter { stroke, _ in stroke.fault != nil }
    return Set(faulty.map { _, edges in edges / 2 - 1 })
  }

  @Test("Chains bounce two to four times")
  func chains() {
    let bounces = bounces(in: session(chains: 1))
    #expect(bounces.isSuperset(of: [2, 3, 4]))
    #expect(bounces.isSubset(of: [1, 2, 3, 4]))
  }

  @Test("A crackling contact opens and closes until the stroke ends, where it is worn")
  func crackling() {
    var wear = Wear()
    wear.faultyKeys = 1
    wear.rate = 1
    wear.crackles = true
    wear.firstHold = 2.0...6.0
    wear.gap = 1.0...3.0
    let strokes = (0..<20).map {
      Stroke(key: 272, press: 1_000_000 * $0, release: 1_000_000 * $0 + 200_000)
    }
    let session = Session(strokes, wear: wear, seed: 4, isWorn: { $0 % 2 == 1 })
    for (number, stroke) in session.strokes.enumerated() {
      let edges = session.edges.filter { $0.stroke == number }
      #expect(stroke.fault == (number % 2 == 1 ? .dropOut : nil))
      #expect(number % 2 == 1 ? (40...140).contains(edges.count) : edges.count == 2)
      let intervals = zip(edges, edges.dropFirst()).map { $1.time - $0.time }
      #expect(
        intervals.dropLast().enumerated().allSatisfy {
          ($0 % 2 == 0 ? 1000...7000 : 0...4000).contains($1)
        } || edges.count == 2)
    }
  }

  @Test("Faults bounce as often as they are told")
  func bounces() {
    var wear = Wear()
    wear.faultyKeys = 1
    wear.rate = 0.5
    wear.bounces = 3...5
    wear.firstHold = 2.0...4.0
    wear.secondHold = 2.0...4.0
    wear.gap = 2.0...4.0
    #expect(bounces(in: Session(presses: 2000, wear: wear, seed: 9)) == [3, 4, 5])
  }

  @Test("Without wear nothing chatters", arguments: [1, 2, 4, 8])
  func clean(poll: Int) {
    let step = Microseconds(poll) * 1000
    let session = Session(presses: 5000, wear: .none, link: Link(poll: step), seed: 3)
    #expect(session.edges.count == 2 * session.strokes.count)
    #expect(session.edges.allSatisfy { $0.fault == nil && $0.time % step == 0 })
  }

  @Test("A slow poll hides short bounces")
  func hidden() {
    let fast = session(poll: 1000).strokes.count { $0.fault != nil }
    let slow = session(poll: 8000).strokes.count { $0.fault != nil }
    #expect(slow < fast)
    #expect(slow > fast / 3)
  }

  @Test("A wireless receiver delivers some edges of different times at once, and none early")
  func bursts() {
    let wired = session()
    let wireless = session(isWireless: true)
    #expect(wired.edges.count == wireless.edges.count)
    var late = 0
    for (wired, wireless) in zip(wired.edges, wireless.edges) {
      #expect(wireless.time >= wired.time)
      #expect(wireless.time - wired.time <= 50_000)
      if wireless.time > wired.time { late += 1 }
    }
    #expect(late > 0)
    #expect(late < wired.edges.count / 100)
  }

  @Test("The same person types the same on a worn keyboard as on a clean one")
  func samePerson() {
    let clean = Session(presses: 1000, wear: .none, seed: 5)
    let worn = Session(presses: 1000, wear: Wear(), seed: 5)
    #expect(clean.strokes.map(\.stroke.key) == worn.strokes.map(\.stroke.key))
  }

  @Test("The pieces of a session are the session, cut where all keys are up and nobody types")
  func pieces() {
    let whole = session()
    let pieces = whole.pieces(ofPresses: 700)
    #expect(pieces.count > 20)
    #expect(pieces.flatMap(\.strokes) == whole.strokes)
    #expect(pieces.flatMap { $0.edges.map(\.time) } == whole.edges.map(\.time))
    #expect(pieces.dropLast().allSatisfy { $0.strokes.count >= 700 })
    for piece in pieces {
      #expect(piece.edges.reduce(0) { $0 + ($1.down ? 1 : -1) } == 0)
      #expect(Set(piece.edges.map(\.stroke)) == Set(piece.strokes.indices))
    }
    for (piece, next) in zip(pieces, pieces.dropFirst()) {
      let rest = (next.edges.first?.time ?? 0) - (piece.edges.last?.time ?? 0)
      #expect(rest >= 250_000)
    }
  }

  @Test("What moves between the same two polls comes in one report, modifiers first")
  func modifiersFirst() {
    // Shift comes up a millisecond after the letter went down, and is said first.
    let strokes = [
      Stroke(key: Keys.leftShift, press: 1000, release: 60_000),
      Stroke(key: 30, press: 59_000, release: 120_000),
    ]
    let session = Session(strokes, link: Link(poll: 8000), seed: 1)
    #expect(session.edges.map(\.key) == [Keys.leftShift, Keys.leftShift, 30, 30])
    #expect(session.edges.map(\.time) == [8000, 64_000, 64_000, 120_000])
    #expect(session.edges.map(\.down) == [true, false, true, false])
  }
}
