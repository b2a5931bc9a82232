import Debounce
import Randomness

/// A bar code scanner, a macro, a password manager: lone strokes, shorter and closer than any finger's.
///
/// ```
///   4     4           0              Shift, then the letter    Enter
///   ┌─┐   ┌─┐         ┌─┐            ┌───────┐                 ┌─┐
///  ─┘ └───┘ └─────────┘ └─────   …  ─┘ ┌─┐   └──────────  …  ──┘ └──
///   hold gap                           ┘ └
/// ```
///
/// Such a keyboard says one thing at each poll: an edge waits until the poll after the edge before it. What is
/// seen are whole polls.
public struct MachineTyping: Bursts {
  /// What is typed.
  public enum Text: CaseIterable, Sendable {
    /// Characters of which some are doubled or tripled, with and without Shift and Enter.
    case characters
    /// Two strokes of one key and nothing else, perhaps with Shift around them.
    case pair
    /// Three to eight strokes of one key and nothing else.
    case oneKey
  }

  public var text = Text.characters
  /// How long a key is down, and how long none is, in milliseconds. A burst keeps its own of both, but for
  /// `jitter`.
  public var hold = 1.0...30.0
  public var gap = 1.0...30.0
  /// By how much each may be longer or shorter, in milliseconds.
  public var jitter = 2.0
  /// How many strokes a burst has, without those of Shift and Enter.
  public var length = 2...40
  /// The interval at which the computer asks, in microseconds.
  public var poll: Microseconds

  /// The shares of characters that are typed twice and three times.
  private static let doubled = 0.15
  private static let tripled = 0.05
  /// The share of bursts that end with Enter.
  private static let entered = 0.5

  /// How Shift goes with the characters of a burst.
  private enum Capitals: CaseIterable {
    /// Not at all.
    case none
    /// Down before each character, and up after it.
    case each
    /// Down and up in the same reports as the character.
    case eachInOne
    /// Down before the first one, and up after the last.
    case all
  }

  public init(_ text: Text = .characters, poll: Microseconds) {
    self.text = text
    self.poll = poll
  }

  public func burst(_ random: inout SeededRandom) -> [Stroke] {
    var capitals = random.chance(0.5) ? .none : Capitals.allCases[random.whole(in: 1...3)]
    if text != .characters, capitals != .none { capitals = .all }
    let characters = characters(&random)
    var reports = Reports(
      hold: random.uniform(in: hold), gap: random.uniform(in: gap), jitter: jitter, poll: poll)
    let around = capitals == .all ? reports.press(Keys.leftShift, &random) : nil
    for character in characters {
      switch capitals {
      case .each where random.chance(0.5):
        let shift = reports.press(Keys.leftShift, &random)
        let stroke = reports.press(character, &random)
        reports.release(stroke, &random)
        reports.release(shift, &random)
      case .eachInOne where random.chance(0.5):
        let shift = reports.press(Keys.leftShift, &random)
        let stroke = reports.pressToo(character)
        reports.release(shift, &random)
        reports.releaseToo(stroke)
      default:
        let stroke = reports.press(character, &random)
        reports.release(stroke, &random)
      }
    }
    if let around { reports.release(around, &random) }
    if text == .characters, random.chance(Self.entered) {
      let enter = reports.press(Keys.enter, &random)
      reports.release(enter, &random)
    }
    return reports.strokes
  }

  /// Shift is there for its characters, and does nothing alone: they show whether it did its work.
  public func isCounted(_ stroke: Stroke) -> Bool {
    stroke.key != Keys.leftShift
  }

  /// What is typed: of `.characters`, at least two different ones.
  private func characters(_ random: inout SeededRandom) -> [KeyCode] {
    let letters = Keys.text.prefix(Keys.letters).map(\.code)
    let alphabet = [Keys.digits, letters, Keys.digits + letters][random.whole(in: 0...2)]
    func character(_ random: inout SeededRandom) -> KeyCode {
      alphabet[random.whole(in: 0...alphabet.count - 1)]
    }
    switch text {
    case .pair: return Array(repeating: character(&random), count: 2)
    case .oneKey: return Array(repeating: character(&random), count: random.whole(in: 3...8))
    case .characters: break
    }
    let count = random.whole(in: length)
    while true {
      var characters: [KeyCode] = []
      while characters.count < count {
        let next = character(&random)
        guard next != characters.last else { continue }
        let kind = random.uniform()
        let times = kind < Self.tripled ? 3 : kind < Self.tripled + Self.doubled ? 2 : 1
        characters += Array(repeating: next, count: min(times, count - characters.count))
      }
      if Set(characters).count > 1 { return characters }
    }
  }
}

/// What a machine's keyboard says, report by report.
private struct Reports {
  let hold: Double
  let gap: Double
  let jitter: Double
  let poll: Microseconds

  private(set) var strokes: [Stroke] = []
  /// When the machine meant the last edge, in milliseconds; and when it was seen.
  private var time = 0.0
  private var seen: Microseconds = 0

  init(hold: Double, gap: Double, jitter: Double, poll: Microseconds) {
    (self.hold, self.gap, self.jitter, self.poll) = (hold, gap, jitter, poll)
  }

  /// Presses a key, `gap` after what was last. Returns the stroke's number.
  mutating func press(_ key: KeyCode, _ random: inout SeededRandom) -> Int {
    if !strokes.isEmpty { advance(by: gap, &random) }
    return pressToo(key)
  }

  /// Presses a key in the same report as what was last.
  mutating func pressToo(_ key: KeyCode) -> Int {
    strokes.append(Stroke(key: key, press: seen, release: seen))
    return strokes.count - 1
  }

  /// Releases a key, `hold` after what was last.
  mutating func release(_ stroke: Int, _ random: inout SeededRandom) {
    advance(by: hold, &random)
    releaseToo(stroke)
  }

  /// Releases a key in the same report as what was last.
  mutating func releaseToo(_ stroke: Int) {
    strokes[stroke].release = seen
  }

  private mutating func advance(by interval: Double, _ random: inout SeededRandom) {
    time += max(0, interval + random.uniform(in: -jitter...jitter))
    let polled = (Microseconds(milliseconds: time) + poll - 1) / poll * poll
    seen = max(polled, seen + poll)
  }
}
