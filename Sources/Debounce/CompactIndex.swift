/// An index that may be absent, in two bytes: the engine keeps several for each of the 768 keys.
struct CompactIndex: Equatable, Sendable {
  /// No index.
  static let none = CompactIndex(stored: -1)

  private let stored: Int16

  private init(stored: Int16) {
    self.stored = stored
  }

  /// - Parameter position: At most `Int16.max`.
  init(_ position: Int) {
    stored = Int16(position)
  }

  /// The index; `nil` if there is none.
  @inline(__always)
  var position: Int? { stored < 0 ? nil : Int(stored) }
}
