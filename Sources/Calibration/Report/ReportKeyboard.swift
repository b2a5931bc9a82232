import Debounce
import Status
import Terminal

/// A drawing (SVG) of a keyboard that shows where the worn keys are.
struct ReportKeyboard {
  private let layout: KeyboardLayout
  private let findings: [KeyCode: KeyFinding]

  private static let column = 10.0
  private static let row = 44.0

  /// - Parameter labels: What stands on keys in the place of the kernel's labels.
  /// - Returns: `nil` if the device is not a keyboard.
  init?(of findings: [KeyFinding], labels: [KeyCode: String]) {
    let byKey = Dictionary(findings.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    guard byKey.keys.contains(where: KeyboardLayout.letters.contains) else { return nil }
    self.findings = byKey
    layout = KeyboardLayout(
      hasNumpad: KeyboardLayout.numpadKeys.contains { byKey[$0] != nil },
      hasAngleKey: byKey[86] != nil, labels: labels)
  }

  var svg: String {
    let width = Double(layout.width) * Self.column
    let height = Double(layout.rows.count) * Self.row
    let keys = layout.rows.enumerated().flatMap { row, keys in keys.map { cap($0, row: row) } }
    return """
      <div class="keyboard"><svg viewBox="0 0 \(Markup.length(width)) \(Markup.length(height))" role="img" \
      aria-label="The keyboard, each key coloured by what was found">
      \(keys.joined())</svg></div>

      """
  }

  private func cap(_ key: KeyboardLayout.Key, row: Int) -> String {
    let finding = findings[key.code]
    let (x, y) = (Double(key.x) * Self.column + 1.5, Double(row) * Self.row + 1.5)
    let (width, height) = (Double(key.width) * Self.column - 3, Self.row - 3)
    let middle = Markup.length(x + width / 2)
    var text = """
      <g class="\(finding?.verdict.pageStyle ?? "unpressed")"><rect x="\(Markup.length(x))" y="\(Markup.length(y))" \
      width="\(Markup.length(width))" height="\(Markup.length(height))" rx="5"/>\
      <text x="\(middle)" y="\(Markup.length(y + 17))">\(Markup.text(key.label))</text>
      """
    if let finding {
      // Nothing is told by colour alone.
      if let mark = finding.isWorn ? finding.rate.share.percent : finding.verdict.mark {
        text += """
          <text class="rate" x="\(middle)" y="\(Markup.length(y + 33))">\(Markup.text(mark))</text>
          """
      }
      let title =
        "\(finding.title): \(finding.verdict.title), \(finding.strokes.counted("stroke"))"
      text += "<title>\(Markup.text(title))</title>"
    }
    return text + "</g>\n"
  }

  /// What the colours mean.
  static let legend =
    [
      ("bad", "worn, with its share of faulty strokes"), ("doubtful", "? comes twice"),
      ("healthy", "healthy"), ("unknown", "… undecided"), ("unpressed", "never pressed"),
    ].map { Markup.swatch($0.0, $0.1) }.joined(separator: " ")
}

extension KeyFinding.Verdict {
  /// What stands on the key if it is not worn; `nil` on healthy ones.
  fileprivate var mark: String? {
    switch self {
    case .worn, .healthy: nil
    case .twice: "?"
    case .undecided: "…"
    case .driven: "⚙"
    }
  }

  /// The class of an element of the page.
  var pageStyle: String {
    switch self {
    case .worn: "bad"
    case .twice: "doubtful"
    case .healthy: "healthy"
    case .undecided, .driven: "unknown"
    }
  }
}
