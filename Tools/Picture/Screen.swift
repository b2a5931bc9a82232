/// How a character on a screen looks.
struct Look: Hashable {
  var isBold = false
  var isFaint = false
  var isReverse = false
  /// The number of one of the eight colours; `nil` for the terminal's own.
  var colour: Int?
}

/// What a terminal shows of what keydebounce writes: characters in a grid.
///
/// Sequences that choose colours and attributes, or that say where to write, are obeyed. Others are skipped. No character
/// that is written is wider than a cell.
struct Screen {
  struct Cell: Equatable {
    var text: String
    var look: Look
  }

  private(set) var rows: [[Cell]] = []

  init(_ text: String) {
    var look = Look()
    var (row, column) = (0, 0)
    var rest = text[...]
    while let character = rest.popFirst() {
      switch character {
      case "\u{1b}":
        guard rest.popFirst() == "[" else { continue }
        let parameters = rest.prefix { $0.isNumber || $0 == ";" || $0 == "?" }
        rest = rest.dropFirst(parameters.count)
        let numbers = parameters.split(separator: ";").compactMap { Int($0) }
        switch rest.popFirst() {
        case "m": look.apply(numbers)
        case "H" where numbers.count == 2: (row, column) = (numbers[0] - 1, numbers[1] - 1)
        default: break
        }
      case "\n", "\r\n": (row, column) = (row + 1, 0)
      case _ where character.unicodeScalars.first?.properties.generalCategory == .control: break
      default:
        while rows.count <= row { rows.append([]) }
        while rows[row].count <= column { rows[row].append(Cell(text: " ", look: Look())) }
        rows[row][column] = Cell(text: String(character), look: look)
        column += 1
      }
    }
    // Nothing is painted on the spaces at the ends of rows, nor on empty rows at the end.
    for index in rows.indices {
      while let last = rows[index].last, last.text == " ", !last.look.isReverse {
        rows[index].removeLast()
      }
    }
    while rows.last?.isEmpty == true { rows.removeLast() }
  }

  /// How many columns the longest row has.
  var columns: Int { rows.map(\.count).max() ?? 0 }
}

extension Look {
  /// Applies the numbers of a “select graphic rendition” sequence.
  fileprivate mutating func apply(_ numbers: [Int]) {
    for number in numbers {
      switch number {
      case 0: self = Look()
      case 1: isBold = true
      case 2: isFaint = true
      case 7: isReverse = true
      case 30...37: colour = number - 30
      case 39: colour = nil
      default: break
      }
    }
  }
}
