import Debounce
import Terminal

// The terms for what strokes mean. They stand in this file alone.

extension Meaning {
  /// What it is called where it is shown: single press.
  public var words: String {
    switch self {
    case .single: "single press"
    case .double: "double press"
    case .hold: "long press"
    }
  }

  /// Counts in words, without those that are 0: 12 single presses, 1 long press.
  public static func inWords(_ counters: Counters) -> [String] {
    allCases.filter { counters[$0] > 0 }.map { counters[$0].counted($0.words) }
  }
}
