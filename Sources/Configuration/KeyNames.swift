import Clibevdev
import Debounce

/// Looks up the labels of this system's keys where they differ from the names, by the system's layout: for advice on wrong
/// names.
public typealias KeyLabels = @Sendable () -> [KeyCode: String]

/// The names of keys and buttons, by libevdev's table (`KEY_*` and `BTN_*`).
public enum KeyNames {
  public static func code(named name: String) -> KeyCode? {
    // libevdev would read it up to a zero.
    guard isKeyName(name), !name.utf8.contains(0) else { return nil }
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

  public static let all: [String] = (0..<KeyCode(EventType.keyCount)).map { name(of: $0) }
    .filter(isKeyName)

  /// The name that was probably meant by one that does not exist.
  ///
  /// - Parameter labels: The labels of keys where they differ from the names.
  public static func nearest(to name: String, labels: [KeyCode: String] = [:]) -> String? {
    if let key = labels.filter({ $0.value == name.uppercased() }).keys.min() {
      return Self.name(of: key)
    }
    if let usual = usualNames[name] { return usual }
    // The number of a key, as other programs have it. A single digit is rather the label of a key.
    if let code = KeyCode(name), code > 9 {
      let named = Self.name(of: code)
      return isKeyName(named) ? named : nil
    }
    let upper = String(name.uppercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
    let (prefix, stem) = parts(of: upper)
    if let usual = usualNames[stem] { return usual }
    for (short, long) in usualPrefixes where stem.hasPrefix(short) {
      let whole = "KEY_\(long)\(stem.dropFirst(short.count))"
      if code(named: whole) != nil { return whole }
    }
    let all = all.map { (name: $0, parts: parts(of: $0)) }
    // The prefix that was given decides between two names that are as near.
    let candidates =
      all.filter { $0.parts.prefix == prefix } + all.filter { $0.parts.prefix != prefix }
    guard let nearest = Spelling.nearest(to: stem, among: candidates.map(\.parts.stem)),
      // A single letter is as near to each other one.
      stem.count > 1 || nearest == stem
    else { return nil }
    return candidates.first { $0.parts.stem == nearest }?.name
  }

  /// Whether somebody who writes this in place of a name means all keys.
  static func meansAll(_ name: String) -> Bool {
    ["*", "all", "any", "every", "default", "key_*", "key_all"].contains(name.lowercased())
  }

  static let adviceForAll = "for all keys, write “threshold” below [debounce]"
  /// How to find the name of a key by what stands on it.
  static let adviceForLabels = "run “keydebounce monitor” and press the key: it shows the name"

  private static func parts(of name: String) -> (prefix: Substring, stem: String) {
    let hasPrefix = name.hasPrefix("KEY_") || name.hasPrefix("BTN_")
    return (name.prefix(hasPrefix ? 4 : 0), String(name.dropFirst(hasPrefix ? 4 : 0)))
  }

  /// Names from other programs and keycaps for keys that libevdev names otherwise. `Spelling` has such words for settings.
  private static let usualNames = [
    "ESCAPE": "KEY_ESC", "RETURN": "KEY_ENTER", "BACK": "KEY_BACKSPACE", "BKSP": "KEY_BACKSPACE",
    "DEL": "KEY_DELETE", "INS": "KEY_INSERT", "SPC": "KEY_SPACE", "CAPS": "KEY_CAPSLOCK",
    "PGUP": "KEY_PAGEUP", "PGDN": "KEY_PAGEDOWN", "CTRL": "KEY_LEFTCTRL",
    "CONTROL": "KEY_LEFTCTRL", "SHIFT": "KEY_LEFTSHIFT", "ALT": "KEY_LEFTALT",
    "ALTGR": "KEY_RIGHTALT", "SUPER": "KEY_LEFTMETA", "WIN": "KEY_LEFTMETA",
    "META": "KEY_LEFTMETA", "PERIOD": "KEY_DOT", "PRINT": "KEY_SYSRQ", "SPACEBAR": "KEY_SPACE",
    "LWIN": "KEY_LEFTMETA", "RWIN": "KEY_RIGHTMETA", "LBRACKET": "KEY_LEFTBRACE",
    "RBRACKET": "KEY_RIGHTBRACE", "QUOTE": "KEY_APOSTROPHE", "BACKTICK": "KEY_GRAVE",
    // The kernel's second names.
    "SCREENLOCK": "KEY_COFFEE", "DIRECTION": "KEY_ROTATE_DISPLAY", "SCREEN": "KEY_ASPECT_RATIO",
    "ZOOM": "KEY_FULL_SCREEN", "DASHBOARD": "KEY_ALL_APPLICATIONS", "HANGUEL": "KEY_HANGEUL",
    "BRIGHTNESS_TOGGLE": "KEY_DISPLAYTOGGLE", "BRIGHTNESS_ZERO": "KEY_BRIGHTNESS_AUTO",
    "WIMAX": "KEY_WWAN", "MOUSE": "BTN_LEFT", "JOYSTICK": "BTN_TRIGGER", "GAMEPAD": "BTN_SOUTH",
    // The signs on a keyboard of the United States whose keys have words for names.
    ";": "KEY_SEMICOLON", "'": "KEY_APOSTROPHE", "`": "KEY_GRAVE", "\\": "KEY_BACKSLASH",
    ",": "KEY_COMMA", ".": "KEY_DOT", "/": "KEY_SLASH", "-": "KEY_MINUS", "=": "KEY_EQUAL",
    "[": "KEY_LEFTBRACE", "]": "KEY_RIGHTBRACE", " ": "KEY_SPACE",
  ]

  /// Beginnings of names in other programs, with those of libevdev's names.
  private static let usualPrefixes: [(short: String, long: String)] = [
    ("NUMPAD_", "KP"), ("NUMPAD", "KP"), ("KP_", "KP"), ("L", "LEFT"), ("R", "RIGHT"),
    ("LEFT_", "LEFT"), ("RIGHT_", "RIGHT"),
  ]

  /// `KEY_MAX` and `KEY_CNT` are in the table as well, and are not keys.
  private static func isKeyName(_ name: String) -> Bool {
    (name.hasPrefix("KEY_") || name.hasPrefix("BTN_")) && name != "KEY_MAX" && name != "KEY_CNT"
  }
}

/// The names of axes that turn, by libevdev's table (`REL_*`). A wheel's fractions are part of the wheel.
public enum AxisNames {
  static let all: [(name: String, code: UInt16)] = (0..<UInt16(REL_RESERVED)).compactMap { code in
    name(of: code).map { ($0, code) }
  }

  /// - Returns: `nil` if the axis has no name.
  public static func name(of code: UInt16) -> String? {
    libevdev_event_code_get_name(UInt32(EventType.relative), UInt32(code))
      .map { String(cString: $0) }
  }
}
