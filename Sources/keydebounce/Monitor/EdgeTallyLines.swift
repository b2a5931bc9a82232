import Configuration
import Debounce
import Recording
import Status
import Terminal

extension EdgeTally {
  /// The counts in words, a line each.
  var lines: [String] {
    let removed = Removal.inWords { counters[$0] }
    var lines = [
      """
      \(counters.pressesIn.counted("press")) in, \(counters.pressesOut.grouped) out; \
      \(removed.isEmpty ? "nothing removed" : "removed: " + removed.joined(separator: ", "))
      """
    ]
    let meanings = Meaning.inWords(counters)
    if !meanings.isEmpty { lines.append("taken for: " + meanings.joined(separator: ", ")) }
    let worst = mostRemoved.prefix(5).map {
      "\(KeyNames.name(of: $0.key)) (\($0.removed) of \($0.presses))"
    }
    if !worst.isEmpty { lines.append("removed most: " + worst.joined(separator: ", ")) }
    if losses > 0 { lines.append("events were lost \(losses == 1 ? "once" : "\(losses) times")") }
    return lines
  }
}
