import Debounce
import Terminal

/// A drawn screen, and where on it what can be clicked is.
public struct TopFrame: Sendable {
  /// What a place on the screen belongs to.
  public enum Target: Equatable, Sendable {
    case device(String)
    /// A key of the drawing.
    case key(KeyCode)
    /// A row of the table.
    case tableRow(KeyCode)
    /// A command at the bottom, by its letter.
    case command(Character)
  }

  struct Place {
    var target: Target
    var row: Int
    var columns: Range<Int>
  }

  public var grid: Grid
  /// What can be moved in.
  public internal(set) var panels: [TopModel.Focus] = []
  /// How many keys the table shows.
  var tableRows = 0
  var places: [Place] = []

  init(_ grid: Grid) {
    self.grid = grid
  }

  /// What is at a place, which counts from 0.
  func target(row: Int, column: Int) -> Target? {
    places.first { $0.row == row && $0.columns.contains(column) }?.target
  }

  /// The key of the drawing that is next to another.
  func neighbour(of code: KeyCode, _ direction: TopModel.Direction) -> KeyCode? {
    guard let here = keys.first(where: { $0.code == code }) else { return nil }
    let middle = here.columns.lowerBound + here.columns.upperBound
    /// How far a key's middle is from here, sideways.
    func distance(_ key: DrawnKey) -> Int {
      abs(key.columns.lowerBound + key.columns.upperBound - middle)
    }
    switch direction {
    case .left:
      return keys.last { $0.row == here.row && $0.columns.lowerBound < here.columns.lowerBound }?
        .code
    case .right:
      return keys.first { $0.row == here.row && $0.columns.lowerBound > here.columns.lowerBound }?
        .code
    case .up, .down:
      let rows = keys.map(\.row).filter { direction == .up ? $0 < here.row : $0 > here.row }
      guard let row = direction == .up ? rows.max() : rows.min() else { return nil }
      return keys.filter { $0.row == row }.min { distance($0) < distance($1) }?.code
    }
  }

  /// The first key of the drawing, unless the key itself is in it.
  func firstKey(unless code: KeyCode) -> KeyCode? {
    keys.contains { $0.code == code } ? nil : keys.first?.code
  }

  private struct DrawnKey {
    var code: KeyCode
    var row: Int
    var columns: Range<Int>
  }

  /// The keys of the drawing from left to right, row by row.
  private var keys: [DrawnKey] {
    places.compactMap { place in
      guard case .key(let code) = place.target else { return nil }
      return DrawnKey(code: code, row: place.row, columns: place.columns)
    }
  }
}
