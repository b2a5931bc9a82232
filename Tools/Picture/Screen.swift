/// How a character on a screen looks.
struct Look: Hashable {
  var isBold = false
  var isFaint = false
  var isItalic = false
  var isUnderlined = false
  var isReverse = false
  /// Numbers of the sixteen colours; `nil` for the terminal's own.
  var colour: Int?
  var background: Int?
}

/// What a terminal shows: characters in a grid, read from text with escape sequences.
///
/// Of these only those that choose colours and attributes, and that say where to write, mean anything; the others are
/// skipped.
struct Screen {
  struct Cell: Equatable {
    /// Empty where the wide character before goes on.
    var text: String
    var look: Look
  }

  private(set) var rows: [[Cell]] = []

  init(_ text: String) {
    var look = Look()
    var (row, column) = (0, 0)
    var scalars = Substring(text).unicodeScalars
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\u{1b}":
        switch Self.readSequence(&scalars) {
        case .look(let numbers): look.apply(numbers)
        case .place(let place): (row, column) = place
        case .nothing: break
        }
      case "\n": (row, column) = (row + 1, 0)
      case "\t":
        repeat { put(" ", look, row, &column) } while !column.isMultiple(of: 8)
      default:
        switch scalar.properties.generalCategory {
        case .control, .format: break
        case .nonspacingMark, .enclosingMark:
          if column > 0 { rows[row][column - 1].text.unicodeScalars.append(scalar) }
        default:
          put(String(scalar), look, row, &column)
          if scalar.isWide { put("", look, row, &column) }
        }
      }
    }
    for index in rows.indices { rows[index].removeBlankEnd() }
    while rows.last?.isEmpty == true { rows.removeLast() }
  }

  /// How many columns the longest row has.
  var columns: Int { rows.map(\.count).max() ?? 0 }

  /// Writes a cell, and goes on to the next column.
  private mutating func put(_ text: String, _ look: Look, _ row: Int, _ column: inout Int) {
    while rows.count <= row { rows.append([]) }
    while rows[row].count <= column { rows[row].append(Cell(text: " ", look: Look())) }
    rows[row][column] = Cell(text: text, look: look)
    column += 1
  }

  /// What a sequence means.
  private enum Sequence {
    /// The numbers that choose attributes.
    case look([Int])
    /// Write here from now on.
    case place((row: Int, column: Int))
    case nothing
  }

  /// Reads what follows an escape character.
  private static func readSequence(_ scalars: inout Substring.UnicodeScalarView) -> Sequence {
    switch scalars.popFirst() {
    case "[":
      var parameters = ""
      while let scalar = scalars.popFirst() {
        guard (0x40...0x7e).contains(scalar.value) else {
          parameters.unicodeScalars.append(scalar)
          continue
        }
        let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false)
          .map { Int($0) ?? 0 }
        if scalar == "m" { return .look(numbers) }
        // A picture is no larger than this.
        guard scalar == "H", numbers.count == 2, numbers.allSatisfy((1...1000).contains) else {
          return .nothing
        }
        return .place((numbers[0] - 1, numbers[1] - 1))
      }
    case "]":
      // A title or a link: up to a bell or an escape and a backslash.
      while let scalar = scalars.popFirst(), scalar != "\u{7}" {
        if scalar == "\u{1b}" {
          _ = scalars.popFirst()
          break
        }
      }
    case "(", ")": _ = scalars.popFirst()
    default: break
    }
    return .nothing
  }
}

extension Look {
  /// Applies the numbers of a “select graphic rendition” sequence.
  mutating func apply(_ numbers: [Int]) {
    var numbers = numbers[...]
    while let number = numbers.popFirst() {
      switch number {
      case 0: self = Look()
      case 1: isBold = true
      case 2: isFaint = true
      case 3: isItalic = true
      case 4: isUnderlined = true
      case 7: isReverse = true
      case 22: (isBold, isFaint) = (false, false)
      case 23: isItalic = false
      case 24: isUnderlined = false
      case 27: isReverse = false
      case 30...37: colour = number - 30
      case 39: colour = nil
      case 40...47: background = number - 40
      case 49: background = nil
      case 90...97: colour = number - 90 + 8
      case 100...107: background = number - 100 + 8
      case 38, 48:
        // Of larger palettes only the first sixteen.
        let kind = numbers.popFirst()
        let arguments = numbers.prefix(kind == 5 ? 1 : 3)
        numbers = numbers.dropFirst(arguments.count)
        guard kind == 5, let index = arguments.first, index < 16 else { continue }
        if number == 38 { colour = index } else { background = index }
      default: break
      }
    }
  }
}

extension [Screen.Cell] {
  /// Takes away the spaces at the end that nothing is painted on.
  fileprivate mutating func removeBlankEnd() {
    while let last, last.text == " ", last.look.background == nil, !last.look.isReverse,
      !last.look.isUnderlined
    {
      removeLast()
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isWide: Bool {
    switch value {
    case ..<0x1100: false
    case 0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
      0xff00...0xff60, 0xffe0...0xffe6, 0x20000...0x3fffd:
      true
    default: properties.isEmojiPresentation
    }
  }
}
