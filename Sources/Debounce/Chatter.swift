/// The kinds of chatter: presses and releases that no finger made.
///
/// ```
///  finger        ┌───────────────┐
///  A          ┌┐ │┌──────────────┐     the first hold is short
///  B             ┌──────────────┐ ┌┐   the second hold is short
///  C             ┌──────┐ ┌──────┐     both are long, the gap between is not
/// ```
public enum Chatter: Sendable, CaseIterable {
  /// A: the contact bounces as the key goes down.
  case pressBounce
  /// B: the contact bounces as the key comes up.
  case releaseBounce
  /// C: the contact is lost for a moment while the key is held.
  case dropOut
}

extension Chatter {
  /// A shorter hold than this is taken for a bounce where a strategy has no parameter for it.
  package static let shortHold: Microseconds = 30_000
  /// A longer gap than this is taken for a finger's.
  package static let longGap: Microseconds = 50_000
}

extension KeyState {
  /// What kind of chatter ends now, with raw back at clean.
  func chatter(endingAt time: Microseconds) -> Chatter {
    if raw { return edge - pressed < Chatter.shortHold ? .pressBounce : .dropOut }
    // A stroke has vanished. Soon after another one it was a bounce of its release.
    return edge - released < Chatter.longGap ? .releaseBounce : .pressBounce
  }
}
