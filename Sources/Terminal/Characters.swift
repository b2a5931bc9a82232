import Glibc

/// Which characters can be shown to the person who runs the command.
public enum Characters: Sendable {
  case ascii
  case unicode

  /// Those of the user's locale.
  public static let ofLocale: Characters = {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      guard let value = getenv(name), value.pointee != 0 else { continue }
      let charset = String(cString: value).uppercased()
      return charset.contains("UTF-8") || charset.contains("UTF8") ? .unicode : .ascii
    }
    return .ascii
  }()

  /// The text in these characters, with the nearest substitutes for others.
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
