import Debounce

/// One stroke, or a few close together: the times during which the contact was closed.
///
/// ```
///   P────R P──────R   P──────────R              shorter gaps than 150 ms join strokes; a longer one ends the run
///   └ hold ┘gap
/// ```
struct ContactRun: Equatable, Sendable {
  /// The largest number of contacts in a run. A longer run is divided.
  static let longest = 32

  struct Contact: Equatable, Sendable {
    var press: Microseconds
    /// `nil` while the key is down.
    var release: Microseconds?
    /// Whether no other key went down since this one's last press.
    var isAdjacent = true
  }

  let phase: Phase
  var contacts: [Contact]

  var start: Microseconds { contacts.first?.press ?? 0 }
  /// When the last contact opened; `nil` while the key is down.
  var end: Microseconds? { contacts.last?.release }

  /// How long each contact was closed. One that is still closed counts as long.
  var holds: [Microseconds] {
    contacts.map { contact in contact.release.map { $0 - contact.press } ?? .max }
  }

  /// The gaps between the contacts: one fewer than there are contacts.
  var gaps: [Microseconds] {
    zip(contacts, contacts.dropFirst()).map { $1.press - ($0.release ?? $1.press) }
  }

  /// The kind of chatter in each gap, provided that all gaps are faults: before the first long contact the key was
  /// still bouncing on its way down (A), after the last one on its way up (B); in between the contact was lost (C).
  var classes: [Chatter] {
    let holds = holds
    let isLong = holds.map { $0 >= Chatter.shortHold }
    guard let first = isLong.firstIndex(of: true), let last = isLong.lastIndex(of: true) else {
      return gaps.map { _ in .pressBounce }
    }
    return gaps.indices.map { index in
      index < first ? .pressBounce : index >= last ? .releaseBounce : .dropOut
    }
  }
}
