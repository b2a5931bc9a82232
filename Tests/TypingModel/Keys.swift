import Debounce

/// The keys that are typed, by the kernel's codes, and how often.
public enum Keys {
  static let backspace: KeyCode = 14
  static let enter: KeyCode = 28
  static let leftShift: KeyCode = 42
  static let leftControl: KeyCode = 29

  /// Whether the key is one of the modifiers that are typed.
  static func isModifier(_ key: KeyCode) -> Bool {
    key == leftShift || key == leftControl
  }

  /// 1 to 9 and 0 above the letters.
  static let digits: [KeyCode] = Array(2...11)

  /// Those of games.
  public static let game: [KeyCode] = [17, 30, 31, 32, 57]

  /// The letters, a to z; the space; comma, full stop and Enter; with their shares of English text in
  /// percent.
  static let text: [(code: KeyCode, share: Double)] = [
    (30, 6.5), (48, 1.2), (46, 2.2), (32, 3.4), (18, 10.2), (33, 1.8), (34, 1.6), (35, 4.9),
    (23, 5.6), (36, 0.2), (37, 0.6), (38, 3.2), (50, 1.9), (49, 5.6), (24, 6.0), (25, 1.5),
    (16, 0.1), (19, 4.8), (31, 5.1), (20, 7.3), (22, 2.2), (47, 0.8), (17, 1.9), (45, 0.2),
    (21, 1.6), (44, 0.1), (57, 17.5), (51, 1.0), (52, 1.1), (28, 0.3),
  ]

  /// How many of `text` are letters.
  static let letters = 26

  /// All keys that are ever typed.
  static let all: [KeyCode] = text.map(\.code) + [backspace, leftShift]
}
