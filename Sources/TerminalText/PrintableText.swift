/// A text without control characters, which a terminal would obey instead of showing them.
public func printable(_ text: String) -> String {
  text.utf8.allSatisfy({ 0x20..<0x7f ~= $0 }) ? text : text.map { printable($0) }.joined()
}

/// A character as it can be shown: control characters are replaced by pictures of them.
public func printable(_ character: Character) -> String {
  let scalars = character.unicodeScalars
  // No script and no emoji needs as many: piled-up accents are meant to hide something.
  guard scalars.count <= 12 else { return "\u{fffd}" }
  var text = String(String.UnicodeScalarView(scalars.map(shown)))
  // An accent without a letter would be put on whatever comes before.
  if scalars.allSatisfy({ columns(of: shown($0)) == 0 }) { text = "\u{25cc}" + text }
  return text
}

/// How many columns of a terminal the text takes.
public func displayWidth(of text: String) -> Int {
  text.reduce(0) { width, character in
    let scalars = character.unicodeScalars
    // Followed by this, a sign becomes an emoji.
    let isEmoji = scalars.contains { $0.value == 0xfe0f }
    return width + (isEmoji ? 2 : scalars.map(columns).max() ?? 0)
  }
}

private func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
  let replacement: Unicode.Scalar = "\u{fffd}"
  switch scalar.properties.generalCategory {
  case .control where scalar.value < 0x20:
    return Unicode.Scalar(0x2400 + scalar.value) ?? replacement
  case .control where scalar.value == 0x7f: return "\u{2421}"
  case .control, .lineSeparator, .paragraphSeparator, .surrogate: return replacement
  // These join characters; others reverse the direction of writing or hide what follows.
  case .format where scalar.value == 0x200c || scalar.value == 0x200d: return scalar
  case .format: return replacement
  default: return scalar
  }
}

private func columns(of scalar: Unicode.Scalar) -> Int {
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .enclosingMark, .format: return 0
  default: break
  }
  if scalar.properties.isEmojiPresentation { return 2 }
  return wide.contains { $0.contains(scalar.value) } ? 2 : 1
}

/// The blocks of wide characters, by Unicode's East Asian Width; emojis aside.
private let wide: [ClosedRange<UInt32>] = [
  0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x4dbf, 0x4e00...0xa4cf, 0xa960...0xa97f,
  0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff01...0xff60,
  0xffe0...0xffe6, 0x17000...0x18dff, 0x1aff0...0x1b2ff, 0x1f200...0x1f2ff, 0x20000...0x3fffd,
]
