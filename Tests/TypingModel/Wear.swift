import Debounce
import Randomness

/// How worn a keyboard is: which presses of which keys chatter, and how.
public struct Wear: Sendable {
  /// The share of keys that are faulty.
  public var faultyKeys = 0.15
  /// The share of a faulty key's presses that chatter.
  public var rate = 0.05
  /// Shares of press bounces, release bounces and drop-outs.
  public var shares: [Chatter: Double] = [.pressBounce: 0.45, .releaseBounce: 0.25, .dropOut: 0.30]
  /// From the false release to the false press, in milliseconds.
  public var gap: any Law = Lognormal(median: 10, spread: 0.6, in: 1...60)
  /// The first hold of a press bounce, in milliseconds.
  public var firstHold: any Law = Lognormal(median: 12, spread: 0.5, in: 2...30)
  /// The second hold of a release bounce, in milliseconds.
  public var secondHold: any Law = Lognormal(median: 8, spread: 0.6, in: 1...30)
  /// How far from both ends of a stroke a drop-out is, in milliseconds.
  public var dropOutMargin = 32.0
  /// The share of faults that bounce more than once: two to four times.
  public var chains = 0.05
  /// How many times each fault bounces. If it is `nil`, `chains` says so.
  public var bounces: ClosedRange<Int>?
  /// Whether a fault is a contact that opens and closes through the whole stroke, with contacts of `firstHold` and with
  /// `gap` between them. It counts as a drop-out.
  public var crackles = false

  public init() {}

  /// No wear at all.
  public static var none: Wear {
    var wear = Wear()
    wear.faultyKeys = 0
    return wear
  }
}

/// One fault as it will show in a stroke: how far the bounces lie from where it begins, in microseconds.
struct Fault: Sendable {
  let chatter: Chatter
  /// For each bounce, how long the contact keeps the state before it, and then the other one.
  let bounces: [(before: Microseconds, during: Microseconds)]

  init(_ wear: Wear, _ random: inout SeededRandom) {
    // The kinds are tried in a fixed order: a dictionary's order changes from run to run.
    let total = Chatter.allCases.reduce(0) { $0 + (wear.shares[$1] ?? 0) }
    var left = random.uniform() * total
    chatter =
      Chatter.allCases.first { kind in
        left -= wear.shares[kind] ?? 0
        return left < 0
      } ?? .dropOut
    let count =
      if let bounces = wear.bounces { random.whole(in: bounces) } else {
        random.chance(wear.chains) ? 2 + Int(random.next() % 3) : 1
      }
    let kind = chatter
    bounces = (0..<count).map { index in
      let gap = Microseconds(milliseconds: wear.gap.draw(&random))
      switch kind {
      case .pressBounce:
        return (Microseconds(milliseconds: wear.firstHold.draw(&random)), gap)
      case .releaseBounce:
        return (gap, Microseconds(milliseconds: wear.secondHold.draw(&random)))
      case .dropOut:
        let before = index == 0 ? 0 : Microseconds(milliseconds: wear.firstHold.draw(&random))
        return (before, gap)
      }
    }
  }

  /// From the first edge that belongs to it to the last.
  var length: Microseconds { bounces.reduce(0) { $0 + $1.before + $1.during } }
}

/// The switches of one keyboard, of which some are worn.
struct Switches: Sendable {
  private let wear: Wear
  private let faulty: Set<KeyCode>
  private var random: SeededRandom

  /// Faults that were due in a stroke too short for them, and wait for one with room. Without the
  /// wait, long faults would be rarer than their law says.
  private var waiting: [KeyCode: [Fault]] = [:]

  init(_ wear: Wear, _ random: SeededRandom) {
    self.wear = wear
    self.random = random
    var faulty: Set<KeyCode> = []
    for key in Keys.all where self.random.chance(wear.faultyKeys) { faulty.insert(key) }
    self.faulty = faulty
  }

  func isFaulty(_ key: KeyCode) -> Bool {
    wear.faultyKeys >= 1 || faulty.contains(key)
  }

  /// When the contact changes during a stroke: first down, then in turns; and what fault that is.
  ///
  /// - Parameter limit: When the same key goes down next.
  mutating func edges(
    of stroke: Stroke, before limit: Microseconds
  ) -> (times: [Microseconds], chatter: Chatter?) {
    let clean = [stroke.press, stroke.release]
    guard isFaulty(stroke.key) else { return (clean, nil) }
    if wear.crackles {
      return random.chance(wear.rate) ? (crackle(through: stroke), .dropOut) : (clean, nil)
    }
    if random.chance(wear.rate) {
      waiting[stroke.key, default: []].append(Fault(wear, &random))
    }
    guard let faults = waiting[stroke.key] else { return (clean, nil) }
    for (index, fault) in faults.enumerated() {
      guard let start = start(of: fault, in: stroke, before: limit) else { continue }
      waiting[stroke.key]?.remove(at: index)
      var times = fault.chatter == .releaseBounce ? clean : [stroke.press]
      var time = start
      for bounce in fault.bounces {
        times.append(time + bounce.before)
        time += bounce.before + bounce.during
        times.append(time)
      }
      if fault.chatter != .releaseBounce { times.append(stroke.release) }
      return (times, fault.chatter)
    }
    return (clean, nil)
  }

  /// When a crackling contact changes during a stroke: first down, then in turns.
  private mutating func crackle(through stroke: Stroke) -> [Microseconds] {
    var times = [stroke.press]
    while let last = times.last {
      let release = last + Microseconds(milliseconds: wear.firstHold.draw(&random))
      let press = release + Microseconds(milliseconds: wear.gap.draw(&random))
      guard press < stroke.release else { break }
      times += [release, press]
    }
    return times + [stroke.release]
  }

  /// When the fault begins in this stroke; `nil` if there is no room for it.
  private mutating func start(
    of fault: Fault, in stroke: Stroke, before limit: Microseconds
  ) -> Microseconds? {
    switch fault.chatter {
    case .pressBounce:
      // A finger presses for a while after the bounce, or it would not be a press bounce.
      return fault.length + 20_000 <= stroke.hold ? stroke.press : nil
    case .releaseBounce:
      return stroke.release + fault.length + 5_000 <= limit ? stroke.release : nil
    case .dropOut:
      let margin = Microseconds(milliseconds: wear.dropOutMargin)
      let room = stroke.hold - fault.length - 2 * margin
      guard room >= 0 else { return nil }
      return stroke.press + margin + Microseconds(random.uniform() * Double(room))
    }
  }
}
