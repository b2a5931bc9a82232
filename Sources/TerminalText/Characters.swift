import Glibc

/// Which characters the person who called the command can see.
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

  /// The text in these characters, as near as they come.
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
