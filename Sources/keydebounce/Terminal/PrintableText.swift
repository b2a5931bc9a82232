import Glibc
import TerminalText

extension String {
  /// The text without anything that a terminal takes for a command.
  ///
  /// Devices choose their own names.
  var printable: String { TerminalText.printable(self) }

  /// How many columns of a terminal the text takes.
  var columns: Int { displayWidth(of: self) }

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
