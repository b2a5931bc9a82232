import Debounce
import Randomness

/// A person at the keyboard: strokes without end, in the order of their presses.
///
/// Plain keys with rollover, letters typed twice, runs of Backspace, capitals with Shift, pauses, and
/// if wanted the fast taps of games.
public struct Typing: Sendable {
  /// How people type, apart from the times of each key.
  public struct Manner: Sendable {
    /// How many of a hundred steps are a run of fast taps, as in games.
    public var tapping = 0.0

    public init() {}
  }

  private let manner: Manner
  private let typist: Typist
  private var random: SeededRandom

  private var strokes: [Stroke] = []
  /// When each key came up last, in milliseconds.
  private var released: [KeyCode: Double] = [:]
  /// The last stroke of all.
  private var last = (key: KeyCode(0), press: 0.0, release: 0.0)

  public init(_ manner: Manner = Manner(), _ random: SeededRandom) {
    self.manner = manner
    self.random = random
    typist = Typist(&self.random)
  }

  /// The next strokes: at least `count`.
  public mutating func strokes(_ count: Int) -> [Stroke] {
    strokes.removeAll(keepingCapacity: true)
    while strokes.count < count { step() }
    return strokes
  }

  // Of each step's probabilities follow the measured shares of presses: a step makes one stroke and a
  // few more.
  private static let strokesPerStep =
    1 / (1 - MeasuredTyping.doubleShare - MeasuredTyping.backspaceRepeatShare - capitals)
  private static let doubles = MeasuredTyping.doubleShare * strokesPerStep
  /// Runs of Backspace have two presses on average.
  private static let backspaces = MeasuredTyping.backspaceRepeatShare * strokesPerStep
  /// The share of presses that are Shift's.
  private static let capitals = 0.03
  /// The share of steps before which the person thinks.
  private static let pauses = 0.012
  private static let pause = Lognormal(median: 1200, spread: 0.8)

  private mutating func step() {
    if random.chance(Self.pauses) { last.release += Self.pause.draw(&random) }
    if random.chance(manner.tapping / 100) {
      tap()
      return
    }
    let what = random.uniform()
    switch what {
    case ..<Self.doubles:
      type(drawKey(letter: true), typist.drawDouble(&random))
    case ..<(Self.doubles + Self.backspaces):
      type(Keys.backspace, typist.drawBackspaces(random.count(mean: 2), &random))
    case ..<(Self.doubles + Self.backspaces + Self.capitals * Self.strokesPerStep):
      capital()
    default:
      let key = drawKey()
      add(key, at: nextPress(), hold: typist.drawHold(&random))
    }
  }

  /// When the next key goes down.
  private mutating func nextPress() -> Double {
    let hold = last.release - last.press
    if !last.key.isShift, random.chance(typist.rollover), hold > 12 {
      return max(last.press + 10, last.release - MeasuredTyping.overlap.draw(&random))
    }
    for _ in 0..<4 {
      let interval = typist.drawInterval(&random)
      if interval > hold + 5 { return last.press + interval }
    }
    return last.release + Lognormal(median: 60, spread: 0.7).draw(&random)
  }

  private mutating func type(_ key: KeyCode, _ repeats: Typist.Repeats) {
    add(key, at: nextPress(), hold: repeats.holds[0])
    for (gap, hold) in zip(repeats.gaps, repeats.holds.dropFirst()) {
      append(key, at: last.release + gap, hold: hold)
    }
  }

  /// Shift, a letter under it, and the next key soon after: perhaps so soon that a late release of
  /// Shift would change it.
  private mutating func capital() {
    let shift = nextPress()
    let law = MeasuredTyping.shiftHold.share(mean: 0, spread: 0)
    let hold = max(40, MeasuredTyping.shiftHold.value(of: law, at: random.normal()))
    add(Keys.leftShift, at: shift, hold: hold)
    let (down, up) = (last.press, last.release)

    let letter = down + hold * (0.25 + 0.5 * random.uniform())
    add(drawKey(letter: true), at: letter, hold: typist.drawHold(&random))

    let after = MeasuredTyping.afterShift.share(mean: 0, spread: 0)
    let delay = MeasuredTyping.afterShift.value(of: after, at: random.normal())
    add(drawKey(), at: max(up + delay, last.press + 15), hold: typist.drawHold(&random))
  }

  /// A finger as fast as it can: 9 to 13 times a second.
  private mutating func tap() {
    let key = Keys.game[Int(random.next() % UInt64(Keys.game.count))]
    let interval = 1000 / (9 + 4 * random.uniform())
    var press = max(nextPress(), (released[key] ?? 0) + 150)
    for _ in 0..<random.count(mean: 12) {
      let step = Lognormal(median: interval, spread: 0.1).draw(&random)
      append(key, at: press, hold: step * (0.5 + 0.15 * random.uniform()))
      press = last.press + step
    }
  }

  /// A key other than the last one.
  private mutating func drawKey(letter: Bool = false) -> KeyCode {
    let choice = Keys.text.prefix(letter ? Keys.letters : Keys.text.count)
    let total = choice.reduce(0) { $0 + $1.share }
    while true {
      var left = random.uniform() * total
      for (code, share) in choice {
        left -= share
        if left < 0, code != last.key { return code }
        if left < 0 { break }
      }
    }
  }

  /// Adds a stroke of another key than the last one's, or puts it off until a finger can be back there.
  private mutating func add(_ key: KeyCode, at press: Double, hold: Double) {
    var press = press
    if let released = released[key] {
      let law = MeasuredTyping.returnGap.share(mean: 0, spread: 0)
      // Only its low end is meant: the way to and from the other key.
      let least = MeasuredTyping.returnGap.value(of: law, at: -1.3 - abs(random.normal()))
      press = max(press, released + least)
    }
    append(key, at: press, hold: hold)
  }

  private mutating func append(_ key: KeyCode, at press: Double, hold: Double) {
    // Presses come in order: a capital's letter may have been put off behind what follows it.
    let press = max(press, last.press + 1)
    last = (key, press, press + hold)
    released[key] = last.release
    strokes.append(
      Stroke(
        key: key, press: Microseconds(milliseconds: press),
        release: Microseconds(milliseconds: last.release)))
  }
}

extension KeyCode {
  fileprivate var isShift: Bool { self == Keys.leftShift }
}
