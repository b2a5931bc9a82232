import Debounce

/// What became of one stroke, or of a few close together: the times in which the contact was closed.
///
/// ```
///   P────R P──────R   P──────────R              gaps below 150 ms join; a longer one ends the run
///   └ hold ┘gap
/// ```
struct ContactRun: Equatable, Sendable {
  /// So many contacts are kept together; a run that goes on is cut here.
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
  /// When it ended; `nil` while the key is down.
  var end: Microseconds? { contacts.last?.release }

  /// How long each contact was closed. One that never opened counts as long.
  var holds: [Microseconds] {
    contacts.map { contact in contact.release.map { $0 - contact.press } ?? .max }
  }

  /// The gaps between the contacts: one less than there are contacts.
  var gaps: [Microseconds] {
    zip(contacts, contacts.dropFirst()).map { $1.press - ($0.release ?? $1.press) }
  }

  /// The class of the fault in each gap, if all gaps are faults: before the first long contact the key was still
  /// bouncing on its way down (A), after the last one on its way up (B), and in between the contact was lost (C).
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
