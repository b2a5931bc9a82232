import Glibc

extension String {
  /// The text without anything that a terminal takes for a command.
  ///
  /// Devices choose their own names. Control characters could tell the terminal to do things, and format characters
  /// could turn the rest of the line around.
  var printable: String {
    var scalars = UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse:
        scalars.append("\u{FFFD}")
      default: scalars.append(scalar)
      }
    }
    return String(scalars)
  }

  /// How many columns of a terminal the text takes.
  var columns: Int {
    unicodeScalars.reduce(0) { $0 + $1.columns }
  }

  /// The text with blanks after it, up to this many columns.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - columns))
  }

  /// The text with blanks before it, up to this many columns.
  func aligned(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - columns)) + self
  }

  /// The text in lines of at most this many columns, broken between words. A longer word has a line of its own.
  func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ") {
      if line.isEmpty {
        line = String(word)
      } else if line.columns + 1 + String(word).columns <= width {
        line += " " + word
      } else {
        lines.append(line)
        line = String(word)
      }
    }
    return line.isEmpty && !lines.isEmpty ? lines : lines + [line]
  }
}

extension Unicode.Scalar {
  /// How many columns the character takes: two for those of East Asia and for pictures, none for accents.
  fileprivate var columns: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    return switch value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      2
    default: 1
    }
  }
}

/// Which characters the person who called the command can see.
enum Characters {
  case ascii
  case unicode

  /// Those of the user's locale.
  static let ofLocale: Characters = {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      guard let value = getenv(name), value.pointee != 0 else { continue }
      let charset = String(cString: value).uppercased()
      return charset.contains("UTF-8") || charset.contains("UTF8") ? .unicode : .ascii
    }
    return .ascii
  }()

  /// The text in these characters, as near as they come.
  func spell(_ text: String) -> String {
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
