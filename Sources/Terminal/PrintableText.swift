import Glibc

/// The one place where text from outside is made fit to be shown, such as the name that a device gives itself.
///
/// All text that leaves the program passes here: the log, the terminal (``Sheet``), messages. Only JSON does not: it
/// is ASCII (`StatusJSON`).
extension StringProtocol {
  /// The text in one line, with pictures in place of control characters. A terminal or a log would obey those and not show
  /// them.
  public var printable: String {
    utf8.allSatisfy { 0x20..<0x7f ~= $0 } ? String(self) : map(\.printable).joined()
  }

  /// A text of several lines, made fit in the same way. Line feeds and tabulators stay.
  var printableLines: String {
    map { $0 == "\n" || $0 == "\t" ? String($0) : $0.printable }.joined()
  }
}

extension Character {
  /// The character in a form that can be shown.
  public var printable: String {
    // No script and no emoji needs as many. A pile of accents is meant to hide something.
    guard unicodeScalars.count <= 12 else { return "\u{fffd}" }
    var text = String(String.UnicodeScalarView(unicodeScalars.map(shown)))
    // An accent with nothing below it would sit on the character before.
    if unicodeScalars.allSatisfy({ Terminal.columns(of: shown($0)) == 0 }) {
      text = "\u{25cc}" + text
    }
    return text
  }
}

private func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
  let replacement: Unicode.Scalar = "\u{fffd}"
  switch scalar.properties.generalCategory {
  case .control where scalar.value < 0x20:
    return Unicode.Scalar(0x2400 + scalar.value) ?? replacement
  case .control where scalar.value == 0x7f: return "\u{2421}"
  case .control, .lineSeparator, .paragraphSeparator, .surrogate: return replacement
  // These two join characters. Others reverse the direction of writing, or hide the text behind them.
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

/// The blocks of wide characters by Unicode's East Asian Width, without emojis.
private let wide: [ClosedRange<UInt32>] = [
  0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x4dbf, 0x4e00...0xa4cf, 0xa960...0xa97f,
  0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff01...0xff60,
  0xffe0...0xffe6, 0x17000...0x18dff, 0x1aff0...0x1b2ff, 0x1f200...0x1f2ff, 0x20000...0x3fffd,
]

extension String {
  /// How many columns of a terminal the text takes.
  public var columns: Int {
    reduce(0) { width, character in
      let scalars = character.unicodeScalars
      // This scalar turns the sign before it into an emoji.
      let isEmoji = scalars.contains { $0.value == 0xfe0f }
      return width + (isEmoji ? 2 : scalars.map(Terminal.columns(of:)).max() ?? 0)
    }
  }

  /// The text with blanks after it, up to this many columns.
  public func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - columns))
  }

  /// The text with blanks, or zeros, before it, up to this many columns.
  public func aligned(to width: Int, with blank: Character = " ") -> String {
    String(repeating: blank, count: max(0, width - columns)) + self
  }

  /// The text in lines of at most this many columns, broken between words. A longer word has a line of its own.
  public func wrapped(to width: Int) -> [String] {
    Sheet(columns: width).wrapped([StyledText(self)])
  }
}

/// The characters that can be shown to the person who runs the command.
public enum Characters: Sendable {
  case ascii
  case unicode

  /// The characters of the user's locale.
  public static let ofLocale: Characters = {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      guard let value = getenv(name), value.pointee != 0 else { continue }
      let charset = String(cString: value).uppercased()
      return charset.contains("UTF-8") || charset.contains("UTF8") ? .unicode : .ascii
    }
    return .ascii
  }()

  /// The text in these characters, with similar ones in place of others.
  public func spell(_ text: String) -> String {
    guard self == .ascii, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "“", "”": result += "\""
      case "’": result += "'"
      case "…": result += "..."
      case "–", "—": result += "-"
      default: result += scalar.isASCII ? String(scalar) : "?"
      }
    }
  }
}
