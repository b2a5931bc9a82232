import Status
import TerminalText

/// What is on the desktop of worn keys: one notice at a time, of all devices that it is about.
///
/// It receives what happened and returns what to do.
public struct NoticeBoard: Sendable {
  /// A notice as the desktop is to show it.
  public struct Notice: Equatable, Sendable {
    public var summary: String
    public var body: String
    /// Whether it can be asked to show more.
    public var hasAction: Bool
  }

  public enum Action: Equatable, Sendable {
    /// Show a notice, in place of the one with this number; 0 for none.
    case show(Notice, replacing: UInt32)
    /// Open a terminal with the status.
    case openStatus
    /// Write to the log that nobody shows notices.
    case reportNoServer
  }

  private enum State {
    /// There is nothing to show, or it was shown and put away.
    case empty
    /// The desktop was asked to show the notice, and has not answered.
    case asked
    /// It was asked, and what it is to show has changed since.
    case outdated
    case shown(UInt32)
    /// Nobody shows notices. It is shown as soon as somebody does.
    case waiting
  }

  private var state = State.empty
  /// What the notice is about: each device once, in the order in which they came.
  private var devices: [(name: String, verdicts: [KeyVerdict])] = []
  private var hasReported = false

  public init() {}

  /// Receives that a switch of a device has become bad.
  public mutating func keyWorn(of device: String, _ verdict: KeyVerdict) -> [Action] {
    if case .empty = state { devices = [] }
    if let index = devices.firstIndex(where: { $0.name == device }) {
      if !devices[index].verdicts.contains(verdict) { devices[index].verdicts.append(verdict) }
    } else {
      devices.append((device, [verdict]))
    }
    switch state {
    // Somebody may show notices when asked to.
    case .empty, .waiting: return show(replacing: 0)
    case .shown(let number): return show(replacing: number)
    case .asked, .outdated:
      // In place of the one that has no number yet.
      state = .outdated
      return []
    }
  }

  /// Receives that the desktop shows the notice, by this number.
  public mutating func shown(as number: UInt32) -> [Action] {
    hasReported = false
    if case .outdated = state { return show(replacing: number) }
    state = .shown(number)
    return []
  }

  /// Receives that the desktop cannot show the notice: nobody does it.
  public mutating func refused() -> [Action] {
    state = .waiting
    defer { hasReported = true }
    return hasReported ? [] : [.reportNoServer]
  }

  /// Receives that somebody shows notices from now on, perhaps in place of another.
  public mutating func serverAppeared() -> [Action] {
    switch state {
    case .waiting: return show(replacing: 0)
    // What was on the desktop is gone with the other one, and was there to be seen.
    case .shown: state = .empty
    case .empty, .asked, .outdated: break
    }
    return []
  }

  /// Receives that somebody wants to see more of a notice.
  public mutating func wasInvoked(_ number: UInt32) -> [Action] {
    guard case .shown(number) = state else { return [] }
    return [.openStatus]
  }

  /// Receives that a notice was put away.
  public mutating func closed(_ number: UInt32) {
    if case .shown(number) = state { state = .empty }
  }

  /// Receives that no terminal was found in which the status could be shown: the notice says what to do.
  public mutating func foundNoTerminal() -> [Action] {
    let number: UInt32
    if case .shown(let present) = state { number = present } else { number = 0 }
    state = .asked
    return [
      .show(
        Notice(
          summary: "No terminal was found",
          body: "Open one and run: keydebounce status", hasAction: false), replacing: number)
    ]
  }

  private mutating func show(replacing number: UInt32) -> [Action] {
    state = .asked
    return [.show(notice, replacing: number)]
  }

  private var notice: Notice {
    let lines = devices.map { device in
      let verdicts = device.verdicts.map(\.inWords).joined(separator: "; ")
      return "\(Self.text(device.name)): a switch has become bad: \(verdicts)."
    }
    return Notice(
      summary: devices.count == 1 ? "A key is worn" : "Keys are worn",
      body: (lines + ["“keydebounce status” shows which."]).joined(separator: "\n"),
      hasAction: true)
  }

  /// The name of a device, which may hold anything, without what a desktop takes for markup.
  private static func text(_ name: String) -> String {
    String(
      name.printable.map { character in
        switch character {
        case "<": "‹"
        case ">": "›"
        case "&": "+"
        default: character
        }
      })
  }
}
