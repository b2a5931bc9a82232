import Debounce
import Terminal

/// A drawn screen of `top`, and the places on it to which arrows lead.
struct TopFrame {
  var grid: Grid
  /// The panels in which arrows can move.
  var panels: [TopModel.Focus] = []
  /// The keys of the drawing. Their middles are in half columns, so that they are whole numbers.
  var keys: [(code: KeyCode, row: Int, middle: Int)] = []

  /// The panel in which arrows move: the chosen one, or another if that is not shown.
  func focus(of model: TopModel) -> TopModel.Focus {
    panels.contains(model.focus) ? model.focus : panels.last ?? model.focus
  }

  /// The key of the drawing to which an arrow leads from another; the first if that is not in the drawing.
  func neighbour(of code: KeyCode, _ arrow: Input) -> KeyCode? {
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
