import Debounce

/// The names that fixtures call keys by: the kernel's, without `KEY_`.
public enum KeyName {
  /// The code of the key that is called `name`.
  public static func code(of name: some StringProtocol) -> KeyCode? {
    codes[String(name)]
  }

  /// What the key is called; its number if fixtures have no name for it.
  public static func name(of code: KeyCode) -> String {
    names[code] ?? "#\(code)"
  }

  private static let codes: [String: KeyCode] = {
    var codes: [String: KeyCode] = [
      "ESC": 1, "BACKSPACE": 14, "TAB": 15, "ENTER": 28, "LEFTCTRL": 29, "LEFTSHIFT": 42,
      "RIGHTSHIFT": 54, "LEFTALT": 56, "SPACE": 57, "CAPSLOCK": 58, "RIGHTCTRL": 97,
      "RIGHTALT": 100, "UP": 103, "LEFT": 105, "RIGHT": 106, "DOWN": 108, "VOLUMEDOWN": 114,
      "VOLUMEUP": 115, "LEFTMETA": 125, "RIGHTMETA": 126,
      "BTN_LEFT": 0x110, "BTN_RIGHT": 0x111, "BTN_MIDDLE": 0x112,
      "BTN_TRIGGER": 0x120, "BTN_THUMB": 0x121,
    ]
    let rows: [(first: KeyCode, keys: String)] = [
      (2, "1234567890"), (16, "QWERTYUIOP"), (30, "ASDFGHJKL"), (44, "ZXCVBNM"),
    ]
    for row in rows {
      for (index, name) in row.keys.enumerated() {
        codes[String(name)] = row.first + KeyCode(index)
      }
    }
    return codes
  }()

  private static let names = Dictionary(uniqueKeysWithValues: codes.map { ($1, $0) })
}
