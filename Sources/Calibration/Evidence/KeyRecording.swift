import Debounce

/// What one key did in a recording: its contacts, and which of them belong to one stroke.
///
/// Kept only of recordings that a person gives. A measurement keeps counts and no order.
struct KeyRecording: Equatable, Sendable {
  struct Contact: Equatable, Sendable {
    var press: Microseconds
    var release: Microseconds
    /// Whether the gap before it is a fault, so that it goes on with the stroke before it.
    var goesOn: Bool
  }

  let key: KeyCode
  private(set) var contacts: [Contact] = []

  init(of key: KeyCode) {
    self.key = key
  }

  /// The number of strokes, of doubles among them, and of strokes with a fault.
  var strokes: Int { contacts.count { !$0.goesOn } }
  private(set) var doubles = 0
  var faults: Int {
    contacts.indices.count { index in
      contacts[index].goesOn && !contacts[index - 1].goesOn
    }
  }

  /// Adds a run of contacts of free typing.
  mutating func add(_ run: ContactRun) {
    for (index, contact) in run.contacts.enumerated() {
      guard let release = contact.release else { return }
      var goesOn = false
      if index > 0, let before = contacts.last {
        goesOn =
          PairClass(
            gap: contact.press - before.release,
            holds: (before.release - before.press, release - contact.press), isLabelled: false
          ).isFault
        if !goesOn { doubles += 1 }
      }
      contacts.append(Contact(press: contact.press, release: release, goesOn: goesOn))
    }
  }
}
