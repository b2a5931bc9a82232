/// Finds what was probably meant by a word that is not known.
enum Spelling {
  /// The known word that is nearest, if one is near.
  static func nearest(to word: String, among known: [String]) -> String? {
    // Long words are compared with nothing: the cost grows with their square.
    guard word.utf8.count <= 64 else { return nil }
    let letters = Array(word.lowercased())
    let limit = max(1, letters.count / 3)
    let distances = known.map { (word: $0, distance: distance(letters, Array($0.lowercased()))) }
    guard let best = distances.min(by: { $0.distance < $1.distance }), best.distance <= limit
    else { return nil }
    return best.word
  }

  /// How many letters must be added, taken away, replaced, or swapped with their neighbour.
  static func distance(_ first: [Character], _ second: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for (row, letter) in first.enumerated() {
      var current = [row + 1]
      for (column, other) in second.enumerated() {
        var cost = min(last[column] + (letter == other ? 0 : 1), last[column + 1] + 1)
        cost = min(cost, current[column] + 1)
        if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[second.count]
  }
}
