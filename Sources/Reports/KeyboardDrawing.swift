import Debounce
import EventDevices
import Status
import Terminal

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
  static let letters: Set<KeyCode> = Set(16...25).union(30...38).union(44...50)

  /// The keys of the numpad: small keyboards have none.
  static let numpadKeys = Set(numpad.joined().compactMap(\.code))
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

/// A drawing of a keyboard that shows at a glance where the bad keys are.
public struct KeyboardDrawing {
  private let layout: KeyboardLayout
  private let wear: [KeyCode: ShownWear]

  /// - Returns: `nil` if the counted keys are not those of a keyboard.
  public init?(of keys: [KeyStatus], columns: Int, labels: [KeyCode: String] = [:]) {
    let wear = Dictionary(
      keys.map { ($0.code, ShownWear(of: $0)) }, uniquingKeysWith: { first, _ in first })
    guard wear.contains(where: { KeyboardLayout.letters.contains($0.key) }) else { return nil }
    self.wear = wear
    func layout(hasNumpad: Bool) -> KeyboardLayout {
      KeyboardLayout(hasNumpad: hasNumpad, hasAngleKey: wear[86] != nil, labels: labels)
    }
    let hasNumpad = KeyboardLayout.numpadKeys.contains { wear[$0] != nil }
    let full = layout(hasNumpad: hasNumpad)
    self.layout = full.width <= columns ? full : layout(hasNumpad: false)
  }

  public var width: Int { layout.width }

  /// The lines of the drawing; the last says what the colours mean.
  public func spans(on sheet: Sheet) -> [[StyledText]] {
    var lines: [[StyledText]] = []
    for (index, row) in layout.rows.enumerated() {
      if index == 0 || Self.isTall(on: sheet) {
        lines.append(border(above: index > 0 ? layout.rows[index - 1] : [], below: row, on: sheet))
      }
      lines.append(line(of: row, on: sheet))
    }
    lines.append(border(above: layout.rows[layout.rows.count - 1], below: [], on: sheet))
    return lines + [legend(on: sheet)]
  }

  public struct Place: Sendable {
    public let key: KeyboardLayout.Key
    /// The key's line in the drawing.
    public let line: Int
    /// The columns of the drawing that it takes, with the lines at its sides.
    public let columns: Range<Int>
  }

  public func places(on sheet: Sheet) -> [Place] {
    layout.rows.enumerated().flatMap { row, keys in
      keys.map { key in
        let x = Self.indent + key.x
        return Place(
          key: key, line: Self.isTall(on: sheet) ? 2 * row + 1 : row + 1,
          columns: x..<x + key.width + 1)
      }
    }
  }

  private static func isTall(on sheet: Sheet) -> Bool {
    sheet.rows.map { $0 >= rowsForLines } ?? true
  }

  /// How many rows a terminal must have for lines between the rows of keys: without them, the drawing is little more
  /// than half as high.
  private static let rowsForLines = 36

  /// The drawing is indented by so many columns, like everything about a device.
  static let indent = 2

  private func line(of row: [KeyboardLayout.Key], on sheet: Sheet) -> [StyledText] {
    let bar = StyledText(sheet.isUnicode ? "│" : "|", .faint)
    var spans = [StyledText.blank(Self.indent)]
    var x = 0
    for key in row {
      spans += [.blank(key.x - x), bar, cap(key, on: sheet)]
      x = key.x + key.width
      if !row.contains(where: { $0.x == x }) {
        spans.append(bar)
        x += 1
      }
    }
    return spans
  }

  private func cap(_ key: KeyboardLayout.Key, on sheet: Sheet) -> StyledText {
    let look = (wear[key.code] ?? .neverPressed).look
    let inside = key.width - 1
    let rest = inside - key.label.count
    // A cap may have no room for marks. The table has the same information.
    var cap = Array(String(repeating: " ", count: rest / 2) + key.label)
    cap += Array(repeating: " ", count: inside - cap.count)
    if cap[0] == " " { cap[0] = look.mark }
    if cap[inside - 1] == " " { cap[inside - 1] = look.mark }
    return StyledText(String(cap), styles: look.cap)
  }

  private func border(
    above: [KeyboardLayout.Key], below: [KeyboardLayout.Key], on sheet: Sheet
  ) -> [StyledText] {
    func hasBar(_ row: [KeyboardLayout.Key], _ x: Int) -> Bool {
      row.contains { $0.x == x || $0.x + $0.width == x }
    }
    /// Whether there is a key just right of a column.
    func hasKey(_ x: Int) -> Bool {
      (above + below).contains { $0.x <= x && x < $0.x + $0.width }
    }
    let line = (0..<layout.width).map { x in
      sheet.joint(
        up: hasBar(above, x), down: hasBar(below, x), left: hasKey(x - 1), right: hasKey(x))
    }
    return [.blank(Self.indent), StyledText(String(line), .faint)]
  }

  private func legend(on sheet: Sheet) -> [StyledText] {
    // Only colours tell the last two from each other.
    ShownWear.allCases.filter { sheet.hasColours || $0 != .neverPressed }
      .reduce(into: [.blank(Self.indent)]) { spans, wear in
        let isBoth = !sheet.hasColours && wear == .noChatter
        let (look, both) = (wear.look, isBoth ? " or unpressed" : "")
        spans.append(
          StyledText("\(look.mark)\(look.words)\(both)\(look.mark)", styles: look.cap))
        spans.append(.blank(1))
      }
  }
}

extension Sheet {
  fileprivate func joint(up: Bool, down: Bool, left: Bool, right: Bool) -> Character {
    guard isUnicode else { return up || down ? "+" : left || right ? "-" : " " }
    let index = (up ? 8 : 0) + (down ? 4 : 0) + (left ? 2 : 0) + (right ? 1 : 0)
    return Array(" ───│╭╮┬│╰╯┴│├┤┼")[index]
  }
}
