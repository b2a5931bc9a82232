import Debounce

/// How two strokes of one key that follow each other look.
///
/// Two strokes close together are either a double made by a finger, or one stroke that the switch has broken in two.
/// The gap and the shorter of the two holds distinguish them. The classes are ordered by how often fingers make such
/// pairs, as measured on 11 040 genuine doubles of 911 people (Dhakal et al., CHI 2018).
///
/// ```
///   a hold below 25 ms, gap below 50 ms   1 in 2500 doubles        most of classes A and B
///   gap below 8 / 12 ms                   1 in 2200 / 1400         drop-outs (C), short ones
///   gap below 20 / 30 ms                  1 in 250 / 130           drop-outs or very fast doubles
///   longer                                the other 99 %           a fault only where single taps were requested
/// ```
enum PairClass: CaseIterable, Sendable {
  /// Nothing conspicuous.
  case none
  case bounce
  case gapBelow8, gapBelow12, gapBelow20, gapBelow30
  case gapBelow50, gapBelow80, gapBelow150

  /// A shorter hold beside a short gap indicates a bounce. Microseconds.
  static let shortHold: Microseconds = 25_000
  /// In typing, only a shorter gap than this can be a bounce's. Microseconds.
  static let bounceGap: Microseconds = 50_000
  /// In typing, only a shorter gap than this can be a drop-out. Microseconds.
  static let dropOutGap: Microseconds = 12_000
  /// Strokes with a shorter gap than this are one stroke where single strokes were requested. Microseconds.
  static let longestGap: Microseconds = 150_000

  /// The class of two contacts of a key.
  ///
  /// - Parameters:
  ///   - gap: The time between them, in microseconds.
  ///   - holds: How long each of them was closed, in microseconds.
  ///   - isLabelled: Whether a single stroke was requested, so that any second contact is a fault.
  init(gap: Microseconds, holds: (Microseconds, Microseconds), isLabelled: Bool) {
    let isBounce = min(holds.0, holds.1) < Self.shortHold
    self =
      switch gap {
      case ..<(isLabelled ? Self.longestGap : Self.bounceGap) where isBounce: .bounce
      case ..<8_000: .gapBelow8
      case ..<Self.dropOutGap: .gapBelow12
      case ..<20_000: .gapBelow20
      case ..<30_000: .gapBelow30
      case ..<50_000 where isLabelled: .gapBelow50
      case ..<80_000 where isLabelled: .gapBelow80
      case ..<Self.longestGap where isLabelled: .gapBelow150
      default: .none
      }
  }

  /// Whether it counts as a fault even in free typing, where doubles are possible.
  var isFault: Bool {
    switch self {
    case .bounce, .gapBelow8, .gapBelow12: true
    default: false
    }
  }

  /// The share of all faults that look like this. The gaps of drop-outs are assumed to be widely spread: reports put
  /// them between 5 and 100 ms.
  func shareOfFaults(isLabelled: Bool) -> Double {
    switch self {
    case .none: isLabelled ? 0 : 0.08
    case .bounce: isLabelled ? 0.55 : 0.60
    case .gapBelow8: isLabelled ? 0.07 : 0.10
    case .gapBelow12: isLabelled ? 0.06 : 0.08
    case .gapBelow20: isLabelled ? 0.08 : 0.09
    case .gapBelow30: isLabelled ? 0.07 : 0.05
    case .gapBelow50: isLabelled ? 0.07 : 0
    case .gapBelow80: isLabelled ? 0.06 : 0
    case .gapBelow150: isLabelled ? 0.04 : 0
    }
  }

  /// The largest share of genuine doubles that look like this.
  var shareOfDoubles: Double {
    switch self {
    case .none: 0.99
    case .bounce: 4e-4
    case .gapBelow8: 4.5e-4
    case .gapBelow12: 3e-4
    case .gapBelow20: 3.3e-3
    case .gapBelow30: 4e-3
    case .gapBelow50: 0.083
    case .gapBelow80: 0.44
    case .gapBelow150: 0.45
    }
  }

  /// The share of a healthy switch's strokes that look like this by accident: a brushed key, a late receiver. In
  /// everyday use an unintended gap below 16 ms occurs once in 15 000 presses.
  var shareOfAccidents: Double {
    switch self {
    case .none: 1
    case .bounce: 1e-4
    case .gapBelow8, .gapBelow12: 3e-5
    case .gapBelow20: 5e-5
    case .gapBelow30: 1e-4
    case .gapBelow50, .gapBelow80, .gapBelow150: 1e-5
    }
  }
}
