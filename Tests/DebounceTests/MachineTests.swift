import StrokeFixtures
import Testing

@testable import Debounce

/// Whether a machine is told from a person: by `list`, `status` and `calibrate`, and by `adaptive`.
@Suite struct MachineTests {
  private static let hello = "A+0 A-1 S+2 S-3 D+4 D-5 D+6 D-7 F+8 F-9"

  private func isMachine(_ edges: [Edge]) -> Bool {
    var engine = Debouncer()
    _ = engine.process(strokes: edges)
    return engine.hasTypedLikeAMachine
  }

  @Test(
    "A burst is a machine's",
    arguments: [
      hello,
      // A scanner, with Shift in the same report as the character.
      "LEFTSHIFT+0 A+0 LEFTSHIFT-8 A-8 S+16 S-24 LEFTSHIFT+32 D+32 LEFTSHIFT-40 D-40 F+48 F-56 A+64 A-72",
      "A+0 A-20 S+40 S-60 D+80 D-100 F+120 F-140 A+160 A-180",
      // Just shorter than a finger's contact, and than its pause.
      "A+0 A-32.999 S+40 S-72.999 D+80 D-112.999 F+120 F-152.999 A+160 A-192.999",
      "A+0 A-10 S+49.999 S-60 D+99.999 D-110 F+149.999 F-160 A+199.999 A-210",
      // The second of two lone strokes comes after the shortest rest.
      "A+0 A-50 S+60 S-70 A+90 A-100 D+110 D-115 F+120 F-125 A+150 A-155",
      // A slow machine's. Each of its pauses would end a fast machine's typing.
      "A+0 A-30 S+100 S-130 D+200 D-230 F+300 F-330 A+400 A-430 S+500 S-530",
    ])
  func bursts(text: String) {
    #expect(isMachine(strokes(text)))
  }

  @Test(
    "What fingers do is not",
    arguments: [
      // Fingers overlap, hold longer, or pause.
      "A+0 S+30 A-60 D+60 S-90 F+90 D-120 F-150",
      "A+0 A-80 S+90 S-170 D+180 D-260 F+270 F-350 A+360 A-440",
      "A+0 A-30 S+100 S-130 D+200 D-230 F+300 F-330 A+400 A-430",
      "A+0 A-33 S+40 S-73 D+80 D-113 F+120 F-153 A+160 A-193",
      "A+0 A-10 S+50 S-60 D+100 D-110 F+150 F-160 A+200 A-210",
      // A roll over four keys, each let go at once.
      "A+0 A-25 S+40 S-65 D+80 D-105 F+120 F-200",
    ])
  func fingers(text: String) {
    #expect(!isMachine(strokes(text)))
  }

  /// What is held beside them are modifiers, and keys that `adaptive` does not decide on.
  @Test("Keys that are held since events were lost are counted as others are")
  func heldKeys() {
    func isMachine(beside held: KeyCode, _ rules: Rules = Rules()) -> Bool {
      var engine = Debouncer(rules)
      _ = engine.resynchronise(held: KeySet([held]), at: 0)
      engine.play(Self.hello)
      return engine.hasTypedLikeAMachine
    }
    #expect(isMachine(beside: .leftShift))
    #expect(isMachine(beside: .buttonLeft, Rules(keys: [.buttonLeft: .none])))
    #expect(!isMachine(beside: .buttonLeft))
  }

  @Test("A machine is remembered")
  func remembered() {
    let later = strokes("A+1000 A-1090 S+1200 S-1290")
    #expect(isMachine(strokes(Self.hello) + later))
  }

  // MARK: More short contacts than are remembered

  enum Contacts: String, CaseIterable {
    /// Faster than a machine may be on a key that is known to be bad.
    case evenAndFast
    case evenAndSlow
    case uneven

    /// How long each lasts, and the gap behind it.
    func times(_ number: Int) -> (contact: Microseconds, gap: Microseconds) {
      switch self {
      case .evenAndFast: (10.ms, 15.ms)
      case .evenAndSlow: (20.ms, 32.ms)
      case .uneven:
        (Microseconds(3000 + number * 7919 % 17_000), Microseconds(3000 + number * 6133 % 17_000))
      }
    }

    /// Whether they show by themselves that they are several strokes.
    func areStrokes(ofBadKey isBad: Bool) -> Bool {
      self == .evenAndSlow || self == .evenAndFast && !isBad
    }
  }

  /// A key that has bounced three times, if it is bad; a machine's burst, if it was used by one; and so many contacts of the
  /// key.
  private func run(_ count: Int, _ contacts: Contacts, isBad: Bool, wasUsed: Bool) -> [Edge] {
    let bounces = "D+0 D-3 D+7 D-90 D+500 D-503 D+507 D-590 D+1000 D-1003 D+1007 D-1090"
    var raw = isBad ? strokes(bounces) : []
    if wasUsed { raw += strokes("A+2000 A-2008 S+2018 S-2026 F+2036 F-2044") }
    var time = 3000.ms
    for number in 0..<count {
      let (contact, gap) = contacts.times(number)
      raw += [Edge(.d, down: true, at: time), Edge(.d, down: false, at: time + contact)]
      time += contact + gap
    }
    return raw
  }

  /// The engine remembers only so many contacts of a stroke. What it has forgotten must not decide.
  @Test("How many contacts there are does not matter", arguments: Contacts.allCases, [33, 40, 500])
  func manyContacts(contacts: Contacts, count: Int) {
    for isBad in [false, true] {
      for wasUsed in [false, true] {
        let clean = debounce(run(count, contacts, isBad: isBad, wasUsed: wasUsed))
        let presses = clean.count { $0.key == .d && $0.isDown && $0.time >= 3000.ms }
        let areAll = wasUsed || contacts.areStrokes(ofBadKey: isBad)
        #expect(presses == (areAll ? count : 1), "bad: \(isBad), used: \(wasUsed)")
      }
    }
  }

  /// On a device that a machine has used, what crackles may be its strokes. It is kept for no more than 32 of them.
  @Test("The contact that is one too many to remember has all of them delivered")
  func limitOfContacts() {
    let raw = run(40, .uneven, isBad: false, wasUsed: true)
    let clean = debounce(raw).filter { $0.key == .d }
    let contacts = raw.filter { $0.key == .d }
    #expect(contacts[64].time - contacts[0].time < 1000.ms)
    #expect(clean.map(\.isDown) == contacts.map(\.isDown))
    #expect(clean[1].time == contacts[64].time)
  }

  /// A finger has typed since the machine: what crackles for long is one stroke.
  @Test(
    "A contact that crackles for long after a finger's stroke is one stroke",
    arguments: [false, true])
  func crackling(isHeld: Bool) {
    var raw = run(60, .uneven, isBad: false, wasUsed: true)
    raw.insert(contentsOf: strokes("A+2500 A-2590"), at: 6)
    let end = raw[raw.count - 1].time + 5.ms
    if isHeld { raw += [Edge(.d, down: true, at: end), Edge(.d, down: false, at: end + 200.ms)] }
    #expect(debounce(raw).count { $0.key == .d && $0.isDown } == 1)
  }

  /// Its switch is bad by its name, so that even contacts may yet prove one stroke. But nobody waits for that for long.
  @Test("A named key that is driven evenly waits a second", arguments: [25, 40, 60])
  func namedKey(threshold: Int) {
    let rules = Rules(keys: [.d: .adaptive(Adaptive(threshold: threshold.ms, isNamed: true))])
    let raw = taps(180, of: .d, held: 28.ms, every: 1_000_000 / 18)
    let clean = debounce(raw, rules)
    #expect(clean.map(\.isDown) == raw.map(\.isDown))
    let latest = zip(clean, raw).map { $0.time - $1.time }.max() ?? 0
    #expect(latest > 900.ms && latest <= 1060.ms)
    // From then on it is a machine's typing.
    #expect(zip(clean, raw).allSatisfy { $1.time < 1100.ms || $0.time == $1.time })
  }

  /// The contact that comes after exactly a second decides: nobody waits for another one.
  @Test("A named key that is driven evenly waits no longer than a second")
  func limitOfChain() throws {
    let rules = Rules(keys: [.d: .adaptive(Adaptive(isNamed: true))])
    let clean = debounce(taps(40, of: .d, held: 28.ms, every: 50.ms), rules)
    #expect(clean.count == 80)
    #expect(try #require(clean.dropFirst().first).time == 1000.ms)
  }

  /// With the longest numbers, more keys wait at once than the engine remembers contacts of.
  @Test("Strokes of too many keys at once are one each", arguments: [9, 10])
  func manyKeys(count: Int) {
    let codes = (30..<30 + count).map { KeyCode($0) }
    let rule = Adaptive(threshold: 500.ms, isNamed: true)
    var rules = Rules()
    for code in codes { rules.keys[code] = .adaptive(rule) }
    let raw = codes.enumerated().flatMap { place, code in
      taps(4, of: code, held: 28.ms, every: 300.ms, from: Microseconds(place) * 29.ms)
    }
    let clean = debounce(raw.sorted { $0.time < $1.time }, rules)
    for code in codes {
      let own = clean.filter { $0.key == code }
      #expect(own.enumerated().allSatisfy { $1.isDown == $0.isMultiple(of: 2) })
      #expect(own.count.isMultiple(of: 2) && (1...4).contains(own.count / 2), "\(own.text)")
    }
    #expect(codes.contains { code in clean.count { $0.key == code && $0.isDown } == 1 })
  }

  /// The engine has room for so many keys' strokes at once as hands tap. Those that have ended need none.
  @Test("Strokes of however many keys, one after the other, are several")
  func keysInTurn() {
    let codes = (30..<40).map { KeyCode($0) }
    let clean = debounce(
      codes.enumerated().flatMap { place, code in
        taps(3, of: code, held: 10.ms, every: 20.ms, from: Microseconds(place) * 1000.ms)
      })
    #expect(codes.allSatisfy { presses(clean, of: $0) == 3 })
  }

  /// A named key's releases wait for long: of two contacts of one length nobody can tell whether they are even. Three are the
  /// fewest that can be seen to be, and a named key that a slow knob drives keeps its strokes.
  @Test(
    "Two contacts in a second are one stroke, three even ones are three",
    arguments: [("D+0 D-20 D+1100 D-1120", 1), ("D+0 D-20 D+510 D-530 D+1020 D-1040", 3)])
  func fewContacts(text: String, count: Int) {
    let rules = Rules(keys: [.d: .adaptive(Adaptive(threshold: 500.ms, isNamed: true))])
    #expect(debounce(strokes(text), rules).count(where: \.isDown) == count)
  }

  // MARK: Keys that are driven

  @Test("A key is driven after eight even contacts of a knob, and others while a machine types")
  func driven() {
    var engine = Debouncer()
    for number in 0..<8 {
      #expect(!engine.isDriven(.a))
      engine.play("A+\(100 * number) A-\(100 * number + 10)")
    }
    #expect(engine.isDriven(.a) && !engine.isDriven(.s))
    #expect(!engine.isDriven(KeyCode(EventType.keyCount)))
    engine.play("D+1000 D-1001 F+1002 F-1003")
    #expect(engine.isDriven(.s))
  }

  /// Whether so many contacts of these lengths, in turn, each after that rest, are a knob's.
  private func areKnobs(
    _ contacts: [Microseconds], count: Int = 8, after rest: Microseconds = 20.ms,
    period: Microseconds = 50.ms
  ) -> Bool {
    var run = EvenRun()
    for number in 0..<count {
      let contact = contacts[number % contacts.count]
      run.receive(contact, after: rest, at: Microseconds(number) * period, Adaptive())
    }
    return run.isDriven
  }

  @Test("The contacts of a knob have limits")
  func limitsOfKnobs() {
    #expect(areKnobs([4.ms]) && !areKnobs([3_999]))
    #expect(areKnobs([32_999]) && !areKnobs([33.ms]))
    #expect(areKnobs([10.ms, 18.ms]) && !areKnobs([10.ms, 18_001]))
    #expect(areKnobs([10.ms], after: 5_500) && !areKnobs([10.ms], after: 5_499))
    #expect(areKnobs([10.ms], period: 42_858) && !areKnobs([10.ms], period: 42_857))
    // Exactly 300 ms.
    #expect(areKnobs([10.ms], count: 9, period: 37_500))
  }

  @Test("A held contact begins the count of a knob's contacts anew")
  func heldContactOfKnob() {
    var engine = Debouncer()
    engine.play("A+0 A-10 A+100 A-180")
    for number in 3..<11 {
      #expect(!engine.isDriven(.a))
      engine.play("A+\(100 * number) A-\(100 * number + 10)")
    }
    #expect(engine.isDriven(.a))
  }

  /// The stroke before it was no machine's: another key was pressed in the middle of it.
  @Test("The contact that shows a knob goes out, though its press waited")
  func contactOfKnob() {
    let clean = debounceAdaptively(
      """
      A+0 A-10 A+200 A-210 A+400 A-410 A+600 A-610 A+800 A-810 A+1000 A-1010 A+1030 S+1035 A-1040 \
      A+1090 A-1100 S-1200
      """)
    #expect(presses(clean) == 7)
  }

  // MARK: What `adaptive` takes for a machine's

  /// Bad contacts are short, too; but `adaptive` knows nothing of a key that it decides on no more.
  @Test("A short stroke of a key that has another strategy now may be a machine's")
  func otherStrategy() {
    var engine = Debouncer()
    engine.play("A+0 A-20")
    engine.adopt(Rules(keys: [.a: .none]))
    engine.play("S+100 S-120 S+200", completely: false)
    // The third of a slow machine's strokes: nothing waits any more, as the release of so short a stroke would.
    #expect(engine.process(at: 215.ms, .up(.s)) == [Frame(time: 215.ms, [.up(.s)])])
  }

  /// No switch moves a modifier between two contacts.
  @Test(
    "A modifier that moves between two short strokes shows a machine",
    arguments: [
      ("A+0 A-8 LEFTSHIFT+10 A+14 A-100 LEFTSHIFT-200", 2),
      ("A+0 A-8 & LEFTSHIFT+8 A+14 A-100 LEFTSHIFT-200", 2),
      ("S+0 A+1 A-8 LEFTSHIFT+8.001 & S-8.001 A+14 A-100 LEFTSHIFT-200", 2),
      // In the same frame, before the release.
      ("A+0 LEFTSHIFT+8 & A-8 A+14 A-100 LEFTSHIFT-200", 2),
      // A report says that everything is up, and the kernel names modifiers first: “Aa”.
      ("LEFTSHIFT+0 & A+0 LEFTSHIFT-2 & A-2 A+7 A-9", 2),
      ("LEFTSHIFT+0 A+1 A-8 A+14 A-100 LEFTSHIFT-200", 1),
    ])
  func modifier(text: String, count: Int) {
    #expect(presses(debounceAdaptively(text)) == count)
  }

  @Test("The release bounce of a modifier shows no machine")
  func bounceOfModifier() {
    #expect(
      debounceAdaptively("LEFTSHIFT+0 LEFTSHIFT-100 LEFTSHIFT+108 LEFTSHIFT-112").text
        == "LEFTSHIFT+0 LEFTSHIFT-100")
  }

  /// Two short strokes of one key, the first of which went out before its time because of another key's press.
  @Test(
    "Two short strokes of a key are as long as each other",
    arguments: [
      ("A+0 A-10 S+12 A+20 A-38 S-300", 25, 2), ("A+0 A-10 S+12 A+20 A-38.001 S-300", 25, 1),
      ("A+0 A-18 S+20 A+28 A-38 S-300", 25, 2), ("A+0 A-18 S+20 A+28 A-37.999 S-300", 25, 1),
      // From 33 ms on a contact is no machine's.
      ("A+0 A-30 S+32 A+40 A-72.999 S-300", 60, 2), ("A+0 A-30 S+32 A+40 A-73 S-300", 60, 1),
    ])
  func twoStrokes(text: String, confirm: Int, count: Int) {
    // However the second one ends, the key is up after it, and its next press goes out.
    let edges = debounceAdaptively(
      text + " A+1000 A-1100", Adaptive(confirm: confirm.ms), flush: .all)
    #expect(presses(edges) == count + 1)
  }

  @Test(
    "Contacts and gaps of a machine differ by 8 ms at most",
    arguments: [
      // Contacts of 10 and 18 ms, then gaps of as much.
      ("A+0 A-10 A+20 A-38 A+48 A-58", 3), ("A+0 A-10 A+20 A-38.001 A+48 A-58", 1),
      ("A+0 A-10 A+20 A-30 A+48 A-58", 3), ("A+0 A-10 A+20 A-30 A+48.001 A-58", 1),
      // By half as much where the shortest contact is shorter than that.
      ("A+0 A-8 A+18 A-34 A+44 A-54", 3), ("A+0 A-7.999 A+18 A-30 A+40 A-50", 1),
      ("A+0 A-7 A+17 A-28 A+38 A-48", 3), ("A+0 A-7 A+17 A-28.001 A+38 A-48", 1),
    ])
  func evenness(text: String, count: Int) {
    #expect(presses(debounceAdaptively(text)) == count)
  }

  @Test("An overlap ends a machine's typing")
  func overlap() {
    // What comes after a gap of 2 ms waits again.
    let clean = debounceAdaptively("A+0 A-1 S+2 S-3 A+4 S+5 S-200 A-210")
    #expect(clean.contains(Edge(.s, down: true, at: 30.ms)))
  }

  /// Strokes that overlap are a finger's, however short: nothing of a machine's burst.
  @Test("A short stroke beside another key is no machine's")
  func besideAnotherKey() {
    let clean = debounce(strokes("X+0 X-20 A+25 S+27 A-30 A+36 A-120 S-130"))
    #expect(clean.filter { $0.key == .a }.map(\.isDown) == [true, false])
  }

  @Test("No machine is typing after a loss")
  func losses() {
    var engine = Debouncer()
    _ = engine.resynchronise(held: KeySet(), at: 0)
    #expect(presses(edges(in: engine.process(strokes: strokes("A+1 A-6 A+10 A-100")))) == 1)
  }

  /// A stroke of exactly 33 ms, from before the key had this strategy.
  @Test("A stroke of 33 ms is no machine's")
  func limitOfFirst() {
    func clean(_ second: String, _ confirm: Microseconds) -> String {
      var engine = Debouncer(Rules(strategy: .none))
      engine.play("A+0 A-33", completely: false)
      engine.adopt(Rules(strategy: .adaptive(Adaptive(confirm: confirm))))
      let bounce = engine.process(strokes: strokes(second), completely: false)
      return edges(in: bounce + engine.process(strokes: strokes("A+500 A-600"))).text
    }
    // What comes after it and is let go at once is evidence against the switch, whose releases wait from then on.
    #expect(clean("A+41 A-51", 25.ms) == "A+500 A-625")
    // It is not the first of two as short as each other.
    #expect(clean("A+41 A-71", 40.ms) == "A+500 A-625")
  }

  @Test("A second stroke of 33 ms is no machine's")
  func limitOfSecond() {
    #expect(debounceAdaptively("A+0 A-30 A+60 A-93", Adaptive(confirm: 40.ms)).text == "A+0 A-55")
    #expect(presses(debounceAdaptively("A+0 A-30 A+60 A-92.999", Adaptive(confirm: 40.ms))) == 2)
  }

  /// A key that repeats what a machine sends: after so many even contacts, for so long, they are delivered though the last one
  /// goes on.
  private static let burst = "A+0 A-10 A+20 A-30 A+40 A-50 A+60 A-70 A+80 A-90 A+100"

  @Test("The strokes of a burst are delivered and prove nothing")
  func delivered() throws {
    let held = adaptiveEngine(Self.burst + " A-250")
    #expect((held.counters.pressesOut, held.counters.learned) == (6, 0))
    let counts = try #require(held.counts(of: .a))
    #expect(counts.removedGaps.values.allSatisfy { $0 == 0 })
    #expect(counts.chatter.kinds == [0, 0, 0])
    // No more of them are delivered when a finger's stroke of another key ends the machine's typing.
    #expect(presses(debounceAdaptively(Self.burst + " S+105 A-110 S-300")) == 6)
  }

  /// Until then a held contact may come, which proves them bounces.
  @Test("A burst is not delivered before it has gone on for 100 ms")
  func tooShort() {
    let early = "A+0 A-10 A+20 A-30 A+40 A-50 A+60 A-70 A+80 A-90 A+99.999 A-250"
    #expect(presses(debounceAdaptively(early)) == 1)
    #expect(presses(debounceAdaptively(early.replacing("A+99.999", with: "A+100"))) == 6)
  }

  @Test("What waits goes out when a burst shows a machine")
  func waiting() {
    let clean = debounceAdaptively(
      "A+0 A-10 A+20 A-30 A+40 A-50 A+60 A-70 S+75 A+80 A-90 A+100 A-110 S-120")
    #expect(clean.contains(Edge(.s, down: true, at: 100.ms)))
  }

  /// The contact in hand is a stroke of its own then: its end waits as that of any very short one.
  @Test("What was delivered is forgotten when a finger ends a machine's typing")
  func endOfTyping() {
    let clean = debounceAdaptively(
      "A+0 A-10 A+20 A-30 A+40 A-50 A+60 A-70 S+75 A+80 A-90 A+100 S-109 A-118")
    #expect(clean.last == Edge(.a, down: false, at: 155.ms))
  }

  /// While it goes on, nothing of it is delivered: a bad key crackles.
  @Test("The strokes of a burst count for a bad key and come when it ends")
  func badKey() {
    func run(_ text: String) -> Debouncer {
      var engine = Debouncer(Rules(strategy: .adaptive(Adaptive(within: 20))))
      engine.install(LearnedHabits(keys: [.init(.a, badFor: 20)]))
      engine.play(text)
      return engine
    }
    let even = run("A+0 A-25 A+50 A-75 A+100 A-125")
    #expect(even.counters.pressesOut == 3)
    #expect(even.habits.keys.map(\.badFor) == [17])
    // Faster than a machine from press to press: one stroke, and its beginning bounced.
    let fast = run("A+0 A-20 A+44.999 A-64.999 A+89.998 A-110")
    #expect(fast.counters.pressesOut == 1)
    #expect(run(Self.burst + " A-250").counters.pressesOut == 1)
  }
}
