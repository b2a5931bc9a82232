import Debounce
import Testing

@testable import Service

@Suite("The panic chord")
struct PanicChordTests {
  private let usual = KeySet([1, 14, 28, 30, 31])

  private func frame(_ keys: (KeyCode, Int32)...) -> Frame {
    Frame(time: 0, keys.map { Event(type: EventType.key, code: $0.0, value: $0.1) })
  }

  @Test("is held when all of its keys are down, and no sooner")
  func held() {
    let chord = PanicKeyboard(with: usual).join([30, 31])
    #expect(chord.keys == [30, 31])
    #expect(!chord.receive(frame((30, 1))))
    #expect(!chord.receive(frame((14, 1), (1, 1), (28, 1))))
    #expect(!chord.receive(frame((30, 0), (31, 1))))
    #expect(chord.receive(frame((30, 1))))
    // Another key does not tell it again.
    #expect(!chord.receive(frame((18, 1))))
    #expect(chord.receive(frame((31, 2))))
    #expect(!chord.resynchronise(held: KeySet([30])))
    #expect(chord.resynchronise(held: KeySet([30, 31, 1])))
  }

  @Test("is the usual one where keys of another are missing; where those are, too, there is none")
  func lacking() {
    let chord = PanicKeyboard(with: usual).join([193, 194])
    #expect(chord.keys == [14, 1, 28])
    #expect(!chord.receive(frame((193, 1), (194, 1))))
    #expect(chord.receive(frame((14, 1), (1, 1), (28, 1))))
    #expect(PanicKeyboard(with: KeySet([272])).join([14, 1, 28]).keys == [])
  }

  @Test("may be spread over the nodes of a keyboard, each of which may have another")
  func nodes() {
    let keyboard = PanicKeyboard(with: usual)
    keyboard.add(KeySet([193, 194]))
    let one = keyboard.join([14, 193])
    let two = keyboard.join([194, 30])
    #expect(one.keys == [14, 193] && two.keys == [194, 30])
    #expect(!one.receive(frame((14, 1))))
    #expect(two.receive(frame((193, 1))))
    #expect(!two.receive(frame((193, 0))))
    #expect(!one.receive(frame((14, 0), (30, 1))))
    #expect(two.receive(frame((194, 1))))
    // The same key on both is down until both have let it go.
    #expect(two.receive(frame((30, 1))))
    #expect(two.receive(frame((30, 0))))
    #expect(!one.receive(frame((30, 0))))
  }
}
