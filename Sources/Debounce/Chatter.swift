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
