import Clibevdev
import Debounce

/// The names of keys and buttons, by libevdev's table (`KEY_*` and `BTN_*`).
public enum KeyNames {
  /// The key of that name; `nil` if there is none.
  public static func code(named name: String) -> KeyCode? {
    guard isKeyName(name) else { return nil }
    let code = libevdev_event_code_from_name(UInt32(EventType.key), name)
    return code < 0 ? nil : KeyCode(exactly: code)
  }

  /// The name of the key; its number if it has none.
  public static func name(of code: KeyCode) -> String {
    guard let name = libevdev_event_code_get_name(UInt32(EventType.key), UInt32(code)) else {
      return String(code)
    }
    let text = String(cString: name)
    return isKeyName(text) ? text : String(code)
  }

  /// All keys that have a name.
  static var all: [String] {
    (0..<KeyCode(EventType.keyCount)).map { name(of: $0) }.filter(isKeyName)
  }

  /// `KEY_MAX` and `KEY_CNT` stand in the table as well, and name no key.
  private static func isKeyName(_ name: String) -> Bool {
    (name.hasPrefix("KEY_") || name.hasPrefix("BTN_")) && name != "KEY_MAX" && name != "KEY_CNT"
  }
}
