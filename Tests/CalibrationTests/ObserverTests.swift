import Debounce
import Randomness
import Testing

@testable import Calibration

@Suite("The observer")
struct ObserverTests {
  @Test("tells the three classes of chatter while someone types")
  func typing() {
    var stream = Streams()
    stream.add(key, 90)
    stream.add(key, 12, 9, 80)  // A
    stream.add(key, 90, 9, 12)  // B
    stream.add(key, 40, 9, 60)  // C
    stream.add(other, 90)
    let evidence = stream.observed()[key]
    #expect(evidence.typed == FaultRate(faults: 3, strokes: 4))
    #expect(
      [
        evidence.faults.pressBounces, evidence.faults.releaseBounces, evidence.faults.dropOuts,
      ] == [1, 1, 1])
    #expect(evidence.faultGaps.bins[9] == 3)
    #expect(evidence.fingerHolds.total == 1)
    #expect(stream.observed()[other].typed == FaultRate(faults: 0, strokes: 1))
  }

  @Test("takes a bounce that goes on for one fault")
  func chains() {
    var stream = Streams()
    stream.add(key, 8, 5, 6, 7, 90)
    stream.add(key, 90, 5, 6, 7, 8)
    #expect(stream.observed()[key].typed == FaultRate(faults: 2, strokes: 2))
    let taps = stream.observed(during: .taps(key))[key]
    #expect(taps.taps == FaultRate(faults: 2, strokes: 2))
    #expect(taps.faults.pressBounces == 1)
    #expect(taps.faults.releaseBounces == 1)
  }

  @Test("leaves a finger's doubles alone, and learns from them")
  func doubles() {
    var stream = Streams()
    for _ in 0..<5 { stream.add(key, 80, 70, 90) }
    stream.add(key, 60, 35, 50)
    let evidence = stream.observed()[key]
    #expect(evidence.typed == FaultRate(faults: 0, strokes: 12))
    #expect(evidence.typedDoubles == 6)
    #expect(evidence.fingerGaps.bins[70] == 5)
    #expect(evidence.test.evidence < 0)
  }

  @Test("does not take “eve” for a double")
  func returns() {
    var stream = Streams()
    stream.add(key, 60, rest: 20)
    stream.add(other, 30, rest: 30)
    stream.add(key, 60)
    #expect(stream.observed()[key].fingerGaps.total == 0)
  }

  @Test("takes every close pair for a fault where single taps were asked for")
  func taps() {
    var stream = Streams()
    stream.add(key, 90)
    stream.add(key, 80, 120, 70)
    stream.add(other, 80, 70, 90)
    stream.add(key, 90, rest: 155)
    // Too soon after the one before.
    stream.add(key, 70)
    let observer = stream.observed(during: .taps(key))
    #expect(observer[key].taps == FaultRate(faults: 1, strokes: 3))
    #expect(observer[key].uncounted == 1)
    #expect(observer[key].faults.dropOuts == 1)
    // Only one key was asked for.
    #expect(observer[other].taps.strokes == 0)
    #expect(observer[other].typed == FaultRate(faults: 0, strokes: 2))
  }

  @Test("takes every release inside a long hold for a drop-out")
  func holds() {
    var stream = Streams()
    stream.add(key, 3000)
    stream.add(key, 1200, 30, 500, 60, 1200)
    stream.add(key, 10, 8, 2900)
    stream.add(key, 500)
    let evidence = stream.observed(during: .holds(key))[key]
    #expect(evidence.holds == FaultRate(faults: 2, strokes: 3))
    #expect(evidence.faults.dropOuts == 2)
    #expect(evidence.faults.pressBounces == 1)
    #expect(evidence.uncounted == 1)
  }

  @Test("hears no repeats, no edge twice, and no time that runs backwards")
  func oddities() {
    var observer = Observer()
    observer.receive(key, value: 0, at: 5, during: .typing)
    observer.receive(key, value: 1, at: 1_000_000, during: .typing)
    observer.receive(key, value: 1, at: 1_001_000, during: .typing)
    observer.receive(key, value: 2, at: 1_002_000, during: .typing)
    observer.receive(key, value: 0, at: 900_000, during: .typing)
    observer.receive(0x300, value: 1, at: 1_100_000, during: .typing)
    observer.advance(to: 2_000_000)
    #expect(observer.observedKeys == [key])
    #expect(observer[key].strokes == 1)
    #expect(observer.link.edges == 2)
  }

  @Test("drops what was begun when events are lost")
  func lost() {
    var observer = Observer()
    observer.receive(Frame(time: 0, [.key(key, down: true)]), during: .typing)
    observer.receive(Frame(time: 90_000, [.key(key, down: false)]), during: .typing)
    observer.receive(Frame(time: 95_000, [.key(other, down: true)]), during: .typing)
    let dropped = Event(type: EventType.synchronisation, code: EventType.dropped, value: 0)
    observer.receive(Frame(time: 100_000, [dropped, .key(key, down: true)]), during: .typing)
    observer.receive(Frame(time: 110_000, [.key(key, down: false)]), during: .typing)
    observer.advance(to: 1_000_000)
    #expect(observer[key].typed == FaultRate(faults: 0, strokes: 1))
    #expect(observer[other].strokes == 0)
  }

  @Test("recognises the poll interval", arguments: [1, 2, 4, 8, 10])
  func poll(interval: Int) {
    var numbers = SeededRandom(seed: 3)
    var link = LinkQuality()
    var time: Microseconds = 0
    for _ in 0..<200 {
      let step = Microseconds(Double.random(in: 20..<200, using: &numbers)) * 1000
      let poll = Microseconds(interval) * 1000
      time += max(1, step / poll) * poll
      // The computer's clock has a jitter of its own.
      link.receive(key, at: time + Microseconds.random(in: -60...60, using: &numbers))
    }
    #expect(link.poll == interval)
    #expect(!link.isBursty)
  }

  @Test("knows of no poll interval where there is none")
  func noPoll() {
    var numbers = SeededRandom(seed: 4)
    var link = LinkQuality()
    var time: Microseconds = 0
    for _ in 0..<300 {
      time += Microseconds.random(in: 20_000...200_000, using: &numbers)
      link.receive(key, at: time)
    }
    #expect(link.poll == nil)
  }

  @Test("recognises a machine that types")
  func machine() {
    var observer = Observer()
    for index in 0..<8 {
      #expect(!observer.machine.hasSeenMachine || index > 4)
      let time = Microseconds(index) * 8000
      observer.receive(KeyCode(16 + index), value: 1, at: time, during: .typing)
      observer.receive(KeyCode(16 + index), value: 0, at: time + 4000, during: .typing)
    }
    #expect(observer.machine.hasSeenMachine)
  }

  @Test("recognises a receiver that delivers all at once")
  func bursts() {
    var stream = Streams()
    for _ in 0..<40 { stream.add(key, 80, rest: 60) }
    var observer = stream.observed()
    #expect(!observer.link.isBursty)
    for index in 0..<12 {
      let time = 20_000_000 + Microseconds(index) * 400_000
      for code: KeyCode in [16, 17, 18] {
        observer.receive(code, value: 1, at: time, during: .typing)
        observer.receive(code, value: 0, at: time + 90_000, during: .typing)
      }
    }
    #expect(observer.link.isBursty)
  }
}
