import Debounce

/// Where the keys of a keyboard lie, in columns of a terminal: an ordinary key is four columns wide, with the line at its
/// left.
///
/// The labels are those of the kernel's names for the keys, which name places: someone with another layout finds
/// another letter there.
public struct KeyboardLayout: Sendable {
  public struct Key: Sendable {
    public let code: KeyCode
    public let label: String
    /// The column of the line at its left.
    public let x: Int
    public let width: Int
  }

  /// From the function keys down to the space bar.
  public private(set) var rows: [[Key]]
  public private(set) var width: Int

  /// - Parameters:
  ///   - hasNumpad: Whether to draw the keys at the far right.
  ///   - hasAngleKey: Whether a key stands between the left Shift and Z, as on European keyboards.
  ///   - labels: What stands on keys in the place of the kernel's labels.
  public init(hasNumpad: Bool, hasAngleKey: Bool, labels: [KeyCode: String] = [:]) {
    let blocks =
      [Self.main(hasAngleKey: hasAngleKey), Self.navigation] + (hasNumpad ? [Self.numpad] : [])
    rows = Self.main(hasAngleKey: false).map { _ in [] }
    width = 0
    for (index, block) in blocks.enumerated() {
      let left = index == 0 ? 0 : width + 1
      for (row, places) in block.enumerated() {
        var x = left
        for place in places {
          if let code = place.code {
            let label = labels[code] ?? place.label
            rows[row].append(Key(code: code, label: label, x: x, width: place.width))
          }
          x += place.width
        }
        width = max(width, x + 1)
      }
    }
  }

  /// The letters: a device without them is not drawn as a keyboard.
  public static let letters: Set<KeyCode> = Set(16...25).union(30...38).union(44...50)

  /// The keys of the numpad: small keyboards have none.
  public static let numpadKeys = Set(numpad.joined().compactMap(\.code))
}

// MARK: - Places

extension KeyboardLayout {
  /// A key in its row, or a space between keys.
  private struct Place {
    let label: String
    let code: KeyCode?
    let width: Int

    init(_ label: String, _ code: KeyCode, _ width: Int = 4) {
      (self.label, self.code, self.width) = (label, code, width)
    }

    init(space width: Int) {
      (label, code, self.width) = ("", nil, width)
    }
  }

  /// Keys whose codes follow each other.
  private static func run(_ labels: String, from code: KeyCode) -> [Place] {
    labels.split(separator: " ").enumerated().map { Place(String($1), code + KeyCode($0)) }
  }

  private static func main(hasAngleKey: Bool) -> [[Place]] {
    let shift = hasAngleKey ? [Place("Sft", 42, 5), Place("<", 86)] : [Place("Shift", 42, 9)]
    return [
      [Place("Esc", 1), Place(space: 4)] + run("F1 F2 F3 F4", from: 59) + [Place(space: 2)]
        + run("F5 F6 F7 F8", from: 63) + [Place(space: 2)] + run("F9 F10", from: 67)
        + run("F11 F12", from: 87),
      [Place("`", 41)] + run("1 2 3 4 5 6 7 8 9 0 - =", from: 2) + [Place("Back", 14, 8)],
      [Place("Tab", 15, 6)] + run("Q W E R T Y U I O P [ ]", from: 16) + [Place("\\", 43, 6)],
      [Place("Caps", 58, 7)] + run("A S D F G H J K L ; '", from: 30) + [Place("Enter", 28, 9)],
      shift + run("Z X C V B N M , . /", from: 44) + [Place("Shift", 54, 11)],
      [
        Place("Ctrl", 29, 5), Place("Meta", 125, 5), Place("Alt", 56, 5), Place("Space", 57, 25),
        Place("Alt", 100, 5), Place("Meta", 126, 5), Place("Menu", 127, 5), Place("Ctrl", 97, 5),
      ],
    ]
  }

  private static let navigation: [[Place]] = [
    [Place("Prt", 99), Place("Scr", 70), Place("Pau", 119)],
    [Place("Ins", 110), Place("Hom", 102), Place("PgU", 104)],
    [Place("Del", 111), Place("End", 107), Place("PgD", 109)],
    [],
    [Place(space: 4), Place("Up", 103)],
    [Place("Lft", 105), Place("Dwn", 108), Place("Rgt", 106)],
  ]

  private static let numpad: [[Place]] = [
    [],
    [Place("Num", 69), Place("/", 98), Place("*", 55), Place("-", 74)],
    run("7 8 9", from: 71) + [Place("+", 78)],
    run("4 5 6", from: 75),
    run("1 2 3", from: 79) + [Place("Ent", 96)],
    [Place("0", 82, 8), Place(".", 83)],
  ]
}
