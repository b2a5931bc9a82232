import Debounce
import Foundation

/// Draws the two columns: what the keyboard sent, and what applications received.
struct Screen {
  private let isColoured: Bool

  init() {
    // Here, output is never a terminal; whoever shows it says whether it ends on one.
    isColoured = ProcessInfo.processInfo.environment["DEMO_COLOUR"] == "yes"
  }

  func drawHead() {
    print()
    print("  time      the keyboard sent               applications received")
    print("  ──────    ────────────────────────────    ─────────────────────────────")
  }

  /// Draws an edge that the keyboard sent, and beside it what became of it.
  func draw(_ edge: Moment, outcome: Outcome) {
    let note =
      edge.sinceLast.map { "\(edge.isDown ? "after" : "held") \(milliseconds($0))" } ?? ""
    let sent = "\(name(edge)) \(edge.isDown ? "down" : "up  ")  \(note)"
    switch outcome {
    case .passed:
      row(edge.time, sent, "\(name(edge)) \(edge.isDown ? "down" : "up")")
    case .waits:
      row(edge.time, sent, dim("…"))
    case .removed:
      row(edge.time, red(pad(sent, to: 28)), red("✗ no finger did this: removed"))
    }
  }

  /// Draws an edge that applications received later than the keyboard sent it.
  func drawLate(_ edge: Moment) {
    row(
      edge.time, "",
      "\(name(edge)) \(edge.isDown ? "down" : "up")" + dim("  a moment later, to be sure"))
  }

  func drawResult(sent: String, received: String, counts: String) {
    print()
    print("  the keyboard sent        \(red(sent))")
    print("  applications received    \(green(received))")
    print()
    // On two lines, for terminals of 80 columns.
    print("  " + counts.split(separator: " (").joined(separator: "\n  ("))
    print()
  }

  private func row(_ time: Microseconds, _ left: String, _ right: String) {
    let seconds = String(format: "%6.3f", Double(time) / 1e6)
    print("  \(dim(seconds))    \(pad(left, to: 28))    \(right)")
    fflush(nil)
  }

  private func name(_ edge: Moment) -> String {
    let letter = Sentence.letters[edge.key, default: "?"]
    return letter == " " ? "␣" : String(letter)
  }

  private func milliseconds(_ time: Microseconds) -> String {
    String(format: "%.0f ms", Double(time) / 1000)
  }

  private func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private func dim(_ text: String) -> String { colour(text, 2) }
  private func red(_ text: String) -> String { colour(text, 31) }
  private func green(_ text: String) -> String { colour(text, 32) }

  private func colour(_ text: String, _ code: Int) -> String {
    isColoured ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
  }
}

/// A key that goes down or up at a time.
struct Moment {
  let key: KeyCode
  let isDown: Bool
  let time: Microseconds
  /// How long the key had been as it was.
  let sinceLast: Microseconds?
}

/// What became of an edge that the keyboard sent.
enum Outcome {
  /// Applications received it.
  case passed
  /// It is not known yet whether a finger made it.
  case waits
  /// A finger did not make it.
  case removed
}
