/// What the engine remembers of the keys that have ``Meanings``, and of what is emitted for them.
struct MeaningStates: Sendable {
  /// One key with meanings.
  struct Row: Sendable {
    /// What its strokes mean; `nil` for itself.
    var meanings: Meanings?
    /// What they will mean from the next stroke on that follows no undecided one.
    var next: Meanings?
    /// The key that its stroke in hand has emitted a press of.
    var emitted: KeyCode?
  }

  /// A stroke that is not decided yet, or that was single at once and may become the first of two.
  struct Undecided: Sendable {
    let key: KeyCode
    /// When its press was emitted by the strategy.
    let start: Microseconds
    /// When the switch last opened, once the key is up; the gap before a second press counts from then.
    var released: Microseconds?
    /// Until when it is undecided.
    var deadline: Microseconds
  }

  var rows: ContiguousArray<Row> = []
  /// How many keys of the device hold each key of the clone.
  var holders: ContiguousArray<UInt16> = []
  /// The one key that is undecided, if any is.
  var undecided: Undecided?
  /// Whether events were lost: nothing is known of when keys moved, and presses are single ones at once.
  var isCorrecting = false

  /// Whether no row matters yet: then everything is emitted as it is.
  var isEmpty: Bool { rows.isEmpty }
}
