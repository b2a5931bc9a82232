/// An action of a person at a terminal.
public enum Input: Equatable, Sendable {
  case character(Character)
  case up, down, left, right
  case tab, backTab
  case enter, escape
}

/// Reads the bytes that a terminal sends.
public struct InputDecoder: Sendable {
  /// A sequence that is not complete yet.
  private var pending: [UInt8] = []

  /// The longest sequence, in bytes. No terminal sends one as long.
  private static let longest = 40

  public init() {}

  /// Whether a sequence has begun that the next bytes may complete. Call ``finish()`` if none come within moments.
  public var isWaiting: Bool { !pending.isEmpty }

  /// Receives bytes, and returns the actions that they stand for. Unknown sequences are dropped.
  public mutating func receive(_ bytes: some Sequence<UInt8>) -> [Input] {
    bytes.flatMap { byte -> [Input] in
      if byte == 0x1b, !pending.isEmpty {
        // An escape ends the sequence before it.
        let before = finish()
        pending = [byte]
        return before
      }
      pending.append(byte)
      let inputs = decoded
      if inputs != nil || pending.count > Self.longest { pending = [] }
      return inputs ?? []
    }
  }

  /// Ends a sequence for which nothing more came: it was the key Escape, or is dropped.
  public mutating func finish() -> [Input] {
    defer { pending = [] }
    return pending == [0x1b] ? [.escape] : []
  }

  /// The actions that the pending bytes stand for; `nil` while the next bytes may complete them.
  private var decoded: [Input]? {
    switch pending[0] {
    case 0x1b: decodedSequence
    case 0x09: [.tab]
    case 0x0a, 0x0d: [.enter]
    case 0x20..<0x7f: [.character(Character(Unicode.Scalar(pending[0])))]
    case 0xc2...0xf4: decodedCharacter
    default: []
    }
  }

  private var decodedCharacter: [Input]? {
    let length = pending[0] < 0xe0 ? 2 : pending[0] < 0xf0 ? 3 : 4
    guard pending.count == length else { return nil }
    return String(validating: pending, as: UTF8.self)?.first.map { [Input.character($0)] } ?? []
  }

  private var decodedSequence: [Input]? {
    guard pending.count > 1, let final = pending.last else { return nil }
    switch pending[1] {
    case UInt8(ascii: "O"):
      return pending.count < 3 ? nil : Self.keys[letter(final), default: []]
    case UInt8(ascii: "["):
      guard pending.count > 2 else { return nil }
      // The Linux console's function keys have one letter more.
      if pending[2] == UInt8(ascii: "[") { return pending.count < 4 ? nil : [] }
      guard 0x40...0x7e ~= final else { return nil }
      // Shift, Meta and Ctrl do not matter: they are numbers before the letter.
      return Self.keys[letter(final), default: []]
    default: return []
    }
  }

  private func letter(_ byte: UInt8) -> String { String(Unicode.Scalar(byte)) }

  /// The keys by the last letter of their sequence.
  private static let keys: [String: [Input]] = [
    "A": [.up], "B": [.down], "C": [.right], "D": [.left], "Z": [.backTab],
  ]
}
