import Configuration
import Debounce
import EventDevices
import Status
import Terminal

// The terms for what is removed, and for what strokes mean, as people read them.

extension Removal {
  /// A removal of this kind, as a noun: press bounce, throttled press.
  public var noun: String {
    if case .chatter = self { words } else { "\(self) press" }
  }

  /// The kind of a removal: press bounce, drop-out, throttled.
  public var words: String {
    self == .dropOut ? "\(self)" : "\(self)".replacing("-", with: " ")
  }
}

extension Chatter {
  /// A piece of chatter of this kind, as a noun: press bounce.
  public var noun: String { Removal.chatter(self).words }

  /// The letter that stands for the kind.
  public var letter: String {
    switch self {
    case .pressBounce: "A"
    case .releaseBounce: "B"
    case .dropOut: "C"
    }
  }

  /// Counts of chatter in words, without those that are 0: 9 press bounces, 1 drop-out.
  public static func inWords(
    showingLetters: Bool = false, _ count: (Chatter) -> some BinaryInteger
  ) -> [String] {
    allCases.filter { count($0) > 0 }.map { chatter in
      count(chatter).counted(chatter.noun) + (showingLetters ? " (\(chatter.letter))" : "")
    }
  }
}

extension Meaning {
  /// The meaning's name where it is shown: single press.
  public var words: String {
    switch self {
    case .single: "single press"
    case .double: "double press"
    case .hold: "long press"
    }
  }

  /// Counts in words, without those that are 0: 12 single presses, 1 long press.
  public static func inWords(_ counters: Counters) -> [String] {
    [(counters.singles, single), (counters.doubles, double), (counters.holds, hold)]
      .filter { $0.0 > 0 }.map { $0.0.counted($0.1.words) }
  }
}

extension Counters {
  /// How many presses came and went, what was removed, and what strokes meant: 9 presses in, 7 out; removed: 2 drop-outs.
  public var summary: String {
    let removed = Removal.allCases.filter { self[$0] > 0 }.map { self[$0].counted($0.noun) }
    let meanings = Meaning.inWords(self)
    return "\(pressesIn.counted("press")) in, \(pressesOut.grouped) out; "
      + (removed.isEmpty ? "nothing removed" : "removed: " + removed.joined(separator: ", "))
      + (reversals == 0 ? "" : "; wheel: \(reversals.counted("step")) removed")
      + (meanings.isEmpty ? "" : "; meant: " + meanings.joined(separator: ", "))
  }
}

extension DeviceStatus.State {
  /// The daemon's work on the device, in words. Where there is little room, the part before the semicolon is enough.
  public var inWords: String {
    switch self {
    case .starting: "getting ready; the device works meanwhile"
    case .waiting: "waiting until no key is down; the device works meanwhile"
    case .busy: "another program has grabbed it; trying again"
    case .debounced: "debounced"
    case .leaving: "releasing it"
    }
  }
}

extension DeviceIdentity {
  /// The device's name as it can be shown.
  public var title: String {
    let name = name.printable
    return name.allSatisfy { $0 == " " } ? "(no name)" : name
  }
}

extension DeviceStatus {
  public var stateInWords: String {
    state == .debounced && pause != nil ? "paused" : state.inWords
  }

  public var stateStyles: [Style] {
    switch state {
    case .debounced where pause == nil: [.green]
    case .busy: [.red]
    case .starting, .waiting, .debounced, .leaving: [.yellow]
    }
  }
}

extension KeyStrategy {
  /// The cost of naming the key in the settings; `nil` if they do not name it.
  public var cost: NamedKeyCost? {
    named.map { NamedKeyCost(threshold: threshold ?? Strategy.packagedThreshold, windows: $0) }
  }
}
