import Debounce
import Terminal

// The terms for chatter and for everything else that is removed. They stand in this file alone.

extension Removal {
  /// One such removal, as a noun: press bounce, throttled press.
  public var noun: String {
    switch self {
    case .pressBounce: "press bounce"
    case .releaseBounce: "release bounce"
    case .dropOut: "drop-out"
    case .throttled: "throttled press"
    case .lockedOut: "locked-out press"
    case .tooSoon: "too-soon press"
    case .tooShort: "too-short press"
    }
  }

  /// What a press was removed as: press bounce, throttled.
  public var words: String {
    switch self {
    case .pressBounce, .releaseBounce, .dropOut: noun
    case .throttled: "throttled"
    case .lockedOut: "locked out"
    case .tooSoon: "too soon"
    case .tooShort: "too short"
    }
  }

  /// Counts of removals in words, without those that are 0: 9 press bounces, 1 drop-out.
  public static func inWords(_ count: (Removal) -> some BinaryInteger) -> [String] {
    allCases.filter { count($0) > 0 }.map { count($0).counted($0.noun) }
  }
}

extension Chatter {
  /// One of this kind, as a noun: press bounce.
  public var noun: String { Removal(self).noun }

  /// The letter that stands for the kind.
  public var letter: String {
    switch self {
    case .pressBounce: "A"
    case .releaseBounce: "B"
    case .dropOut: "C"
    }
  }

  /// The kind as a label of a metric: press_bounce.
  var label: String { String(Removal(self).rawValue.map { $0 == "-" ? "_" : $0 }) }

  /// Counts of chatter in words, without those that are 0: 9 press bounces, 1 drop-out.
  public static func inWords(
    showingLetters: Bool = false, _ count: (Chatter) -> some BinaryInteger
  ) -> [String] {
    allCases.filter { count($0) > 0 }.map { chatter in
      count(chatter).counted(chatter.noun) + (showingLetters ? " (\(chatter.letter))" : "")
    }
  }
}

extension KeyCounts {
  /// How much chatter of this kind was removed.
  public subscript(chatter: Chatter) -> UInt32 {
    switch chatter {
    case .pressBounce: pressBounces
    case .releaseBounce: releaseBounces
    case .dropOut: dropOuts
    }
  }
}
