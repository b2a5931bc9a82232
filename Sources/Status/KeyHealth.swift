import Debounce
import EventDevices
import Terminal

/// How healthy a key's switch is, according to its counts.
public enum KeyHealth: CaseIterable, Sendable {
  /// Chatter in at least one stroke of a hundred, which a person notices.
  case bad
  /// Some chatter.
  case worn
  case healthy
  case neverPressed

  public init(of key: KeyStatus) {
    let strokes = UInt64(key.strokes)
    self =
      switch key.chatter {
      // A few bounces of a key that was hardly pressed do not prove anything yet.
      case 3... where key.chatter * 100 >= strokes: .bad
      case 1...: .worn
      default: strokes + UInt64(key.taken) > 0 ? .healthy : .neverPressed
      }
  }

  /// How a key cap is painted.
  public var styles: [Style] {
    switch self {
    case .bad: [.reverse, .bold, .red]
    case .worn: [.reverse, .yellow]
    case .healthy: [.green]
    case .neverPressed: [.faint]
    }
  }

  /// What stands before and after the label: nothing is told by colour alone.
  public var mark: Character {
    switch self {
    case .bad: "*"
    case .worn: "+"
    case .healthy, .neverPressed: " "
    }
  }

  /// What the colour means.
  public var meaning: String {
    switch self {
    case .bad: "much chatter"
    case .worn: "some"
    case .healthy: "none"
    case .neverPressed: "never pressed"
    }
  }
}
