import CXKB
import Debounce

/// What stands on the keys of a layout: what each types without modifiers, in capital letters.
public struct LayoutLabels {
  /// The keys that type characters, from the row of digits down: only these differ from layout to layout.
  static let typingKeys: [KeyCode] =
    Array(2...13) + Array(16...27) + Array(30...41) + Array(43...53) + [86]

  /// The labels; no key has one if the layout is unknown, or libxkbcommon is not there.
  public static func labels(of layout: SystemLayout) -> [KeyCode: String] {
    guard
      let keymap = cxkb_keymap_new(layout.model, layout.layout, layout.variant, layout.options)
    else { return [:] }
    defer { cxkb_keymap_free(keymap) }
    var labels: [KeyCode: String] = [:]
    for code in typingKeys {
      var name = [CChar](repeating: 0, count: 64)
      var text = [CChar](repeating: 0, count: 16)
      guard cxkb_key(keymap, UInt32(code), &name, name.count, &text, text.count) != 0 else {
        continue
      }
      labels[code] = label(named: string(name), typing: string(text))
    }
    return labels
  }

  private static func string(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// What stands on a key.
  ///
  /// - Returns: `nil` if that is nothing that can be shown.
  static func label(named name: String, typing text: String) -> String? {
    if let accent = accents[name] { return accent }
    guard text.count == 1, let scalar = text.unicodeScalars.first, scalar.value > 0x20,
      scalar.value != 0x7f
    else { return nil }
    let capital = text.uppercased()
    // Not “SS” for “ß”.
    return capital.count == 1 ? capital : text
  }

  /// The accents that type nothing until a letter follows.
  private static let accents = [
    "dead_acute": "´", "dead_grave": "`", "dead_circumflex": "^", "dead_diaeresis": "¨",
    "dead_tilde": "~", "dead_cedilla": "¸", "dead_abovering": "°", "dead_caron": "ˇ",
    "dead_breve": "˘", "dead_doubleacute": "˝", "dead_ogonek": "˛", "dead_macron": "¯",
    "dead_abovedot": "˙",
  ]
}
