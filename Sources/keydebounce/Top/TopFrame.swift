import Debounce
import Terminal

/// A drawn screen of `top`, and the places on it that can be clicked.
struct TopFrame {
  /// Something that can be clicked.
  enum Target: Equatable {
    case device(String)
    /// A key of the drawing.
    case key(KeyCode)
    /// A row of the table.
    case tableRow(KeyCode)
    /// A command at the bottom, by its letter.
    case command(Character)
  }

  var grid: Grid
  /// The panels in which arrows can move.
  var panels: [TopModel.Focus] = []
  var places: [(target: Target, row: Int, columns: Range<Int>)] = []

  /// The panel in which arrows move: the chosen one, or another if that is not shown.
  func focus(of model: TopModel) -> TopModel.Focus {
    panels.contains(model.focus) ? model.focus : panels.last ?? model.focus
  }

  /// The target at a row and a column, which count from 0.
  func target(row: Int, column: Int) -> Target? {
    places.first { $0.row == row && $0.columns.contains(column) }?.target
  }

  /// The key of the drawing to which an arrow leads from another; the first if that is not in the drawing.
  func neighbour(of code: KeyCode, _ arrow: Input) -> KeyCode? {
    // Middles are in half columns, so that they are whole numbers.
    let keys = places.compactMap { place -> (code: KeyCode, row: Int, middle: Int)? in
      guard case .key(let code) = place.target else { return nil }
      return (code, place.row, place.columns.lowerBound + place.columns.upperBound)
    }
    guard let here = keys.first(where: { $0.code == code }) else { return keys.first?.code }
    return keys.filter {
      switch arrow {
      case .left: $0.row == here.row && $0.middle < here.middle
      case .right: $0.row == here.row && $0.middle > here.middle
      case .up: $0.row < here.row
      default: $0.row > here.row
      }
    }.min {
      (abs($0.row - here.row), abs($0.middle - here.middle))
        < (abs($1.row - here.row), abs($1.middle - here.middle))
    }?.code
  }
}
