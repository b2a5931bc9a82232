/// Finds the known word that was probably meant by an unknown one. `KeyNames` has a table of its own for names of keys.
public enum Spelling {
  /// Our words for words that other programs use, and for names that are right in another table of the file.
  private static let synonyms = [
    "threshold": "reversal", "debounce": "threshold", "timeout": "threshold",
    "off": "none", "false": "none", "no": "none", "disabled": "none", "default": "adaptive",
    "asym_eager_defer_pk": "eager-defer", "sym_eager_pk": "eager", "sym_eager_pr": "eager",
    "sym_defer_pk": "defer", "sym_defer_pr": "defer", "sym_defer_g": "defer",
    "debounce-press-ms": "press", "debounce-release-ms": "release",
  ]

  /// Our word for one of another program, or of another table of the file; `nil` if it is not among those that are known.
  static func synonym(for word: String, among known: [String]) -> String? {
    synonyms[word.lowercased()].flatMap { known.contains($0) ? $0 : nil }
  }

  /// The known word that was probably meant: the one with the same meaning, or else the nearest, if one is near.
  public static func nearest(to word: String, among known: [String]) -> String? {
    if let synonym = synonym(for: word, among: known) { return synonym }
    // The cost grows with the square of the length, so that long words are not compared.
    guard !word.isEmpty, word.utf8.count <= 64 else { return nil }
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
