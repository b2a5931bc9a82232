import Debounce
import Randomness

/// A key pressed again so soon that it may be chatter, and another key that moves before that is plain: what
/// is decided late must not come out after what followed it.
///
/// ```
///            gap           5–49 ms after its release
///  key   ───┐   ┌───────   Shift, Control or a letter
///           └───┘
///  other          ┌─────   pressed 1–29 ms later; or a Shift that was held is let go
///        ─────────┘
///               ├─┤ then
/// ```
public struct CrossedStrokes: Bursts {
  /// From the release of the key to its next press, in milliseconds.
  public var gap = 5.0...49.0
  /// From there until the other key moves, in milliseconds.
  public var then = 1.0...29.0
  /// How long fingers hold, in milliseconds.
  public var hold = 50.0...110.0

  public init() {}

  public func burst(_ random: inout SeededRandom) -> [Stroke] {
    let letters = Keys.text.prefix(Keys.letters).map(\.code)
    let first = random.whole(in: 0...Keys.letters - 1)
    let letter = letters[first]
    let other = letters[(first + random.whole(in: 1...Keys.letters - 1)) % Keys.letters]
    let (gap, then) = (random.uniform(in: gap), random.uniform(in: then))
    func hold() -> Double { random.uniform(in: self.hold) }

    switch random.whole(in: 0...2) {
    case 0:
      // Two capitals, or two shortcuts, for which the modifier is pressed anew.
      let modifier = random.chance(0.5) ? Keys.leftShift : Keys.leftControl
      let before = hold()
      let again = before + hold() + gap
      return [
        Stroke(key: modifier, at: 0, hold: again - gap),
        Stroke(key: letter, at: before, hold: again - gap - before + min(gap, 10)),
        Stroke(key: modifier, at: again, hold: then + 70 + hold()),
        Stroke(key: other, at: again + then, hold: hold()),
      ]
    case 1:
      // A letter typed twice, and the next one rolled over it.
      let again = hold() + gap
      return [
        Stroke(key: letter, at: 0, hold: again - gap),
        Stroke(key: letter, at: again, hold: then + hold()),
        Stroke(key: other, at: again + then, hold: hold()),
      ]
    default:
      // A capital typed twice, and Shift let go early.
      let before = hold()
      let again = before + hold() + gap
      return [
        Stroke(key: Keys.leftShift, at: 0, hold: again + then),
        Stroke(key: letter, at: before, hold: again - gap - before),
        Stroke(key: letter, at: again, hold: then + hold()),
      ]
    }
  }
}
