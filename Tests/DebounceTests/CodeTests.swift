import Testing

@testable import Debounce

/// The first and the last codes of keys.
@Suite struct CodeTests {
  /// One more than the largest that the kernel can send.
  private static let beyond = KeyCode(EventType.keyCount)

  @Test("The first code that no kernel sends is no key")
  func beyondTheLast() {
    let beyond = Self.beyond
    var set = KeySet([beyond])
    set.insert(beyond)
    set.remove(beyond)
    #expect(set.isEmpty && !set.contains(beyond))

    var engine = Debouncer(
      Rules(
        keys: [beyond: .none], groups: [Group(keys: [.a, beyond], lockout: 10.ms)],
        meanings: [
          beyond: Meanings(single: .a),
          .d: Meanings(single: beyond, double: beyond, hold: beyond),
        ]))
    let habits = LearnedHabits(keys: [.init(beyond, offset: 5.ms, badFor: 3)])
    let isInstalled = engine.install(habits)
    #expect(isInstalled)
    #expect(engine.habits.isEmpty)
    engine.add(KeyCounts(), of: beyond)
    engine.reset(beyond)
    #expect(engine.counts(of: beyond) == nil && !engine.isBad(beyond))
    // It passes as it is, and what means it means nothing.
    let events: [Event] = [.down(beyond), .up(beyond), .up(beyond)]
    for event in events {
      #expect(engine.process(at: 0, event) == [Frame(time: 0, [event])])
    }
    #expect(engine.process(at: 0, .held(beyond)).isEmpty)
    #expect(engine.counters.repeats == 1 && engine.counters.duplicates == 0)
    #expect(engine.play("D+10 D-100") == "D+10 D-100")
    #expect(engine.resynchronise(held: KeySet([beyond]), at: 200.ms).isEmpty)
  }

  @Test("The last code is a key like others")
  func lastCode() throws {
    let last = Self.beyond - 1
    #expect(KeySet([last]).contains(last))
    #expect(EventType.plainKeys.last == last)
    var engine = Debouncer(
      Rules(
        strategy: .eager(Eager(threshold: 10.ms)),
        meanings: [.d: Meanings(single: last), last: Meanings(single: .s)]))
    #expect(engine.process(at: 0, .down(last)) == [Frame(time: 0, [.down(.s)])])
    #expect(engine.process(at: 1.ms, .up(last)).isEmpty)
    #expect(engine.process(at: 2.ms, .held(last)).isEmpty)
    #expect(engine.counters.repeats == 1)
    #expect(engine.advance(to: .max) == [Frame(time: 10.ms, [.up(.s)])])
    #expect(engine.process(at: 50.ms, .down(.d)) == [Frame(time: 50.ms, [.down(last)])])
    #expect(engine.held == KeySet([last]))
    #expect(try #require(engine.counts(of: last)).strokes == 1)
  }

  @Test("Each code is put right after a loss", arguments: [0, beyond - 1])
  func losses(code: KeyCode) {
    var engine = Debouncer()
    #expect(engine.resynchronise(held: KeySet([code]), at: 0) == [Frame(time: 0, [.down(code)])])
    #expect(engine.close(at: 5) == [Frame(time: 5, [.up(code)])])
  }

  @Test("A set counts its keys")
  func sets() {
    var set = KeySet([0, 63, 64, 700])
    #expect(set.count == 4)
    #expect(Array(set) == [0, 63, 64, 700])
    #expect(Array(KeySet([Self.beyond - 1])) == [Self.beyond - 1])
    set.remove(64)
    #expect(Array(set) == [0, 63, 700])
    set.removeAll()
    #expect(set.isEmpty && Array(set) == [])
  }
}
