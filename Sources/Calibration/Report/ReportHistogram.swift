import Terminal

/// A drawing (SVG) of a key's gaps: those within faults and those between strokes, with the threshold.
struct ReportHistogram {
  private let finding: KeyFinding

  init(of finding: KeyFinding) {
    self.finding = finding
  }

  private static let width = 400.0
  private static let left = 8.0
  private static let top = 24.0
  private static let height = 110.0
  private static let bottom = top + height

  /// Where the classes of gaps begin, and where the last one ends, in milliseconds: each about a third longer than the one
  /// before.
  private static let bounds = [0.0, 2, 4, 6, 8, 12, 16, 24, 32, 46, 64, 90, 128, 180, 256]

  private static func x(_ gap: Double) -> Double {
    let classes = bounds.count - 1
    guard let index = bounds.lastIndex(where: { $0 <= gap }) else { return left }
    let place =
      index < classes
      ? Double(index) + (gap - bounds[index]) / (bounds[index + 1] - bounds[index])
      : Double(classes)
    return left + place / Double(classes) * (width - 2 * left)
  }

  var svg: String {
    """
    <svg viewBox="0 0 400 172" role="img" aria-label="\(Markup.text(label))">
    \(bars(finding.fingerGaps, "finger"))\(bars(finding.faultGaps, "fault"))\(axis)\(threshold)</svg>

    """
  }

  private var label: String {
    """
    Gaps of \(finding.title): \(finding.faultGaps.count) within faults, \(finding.fingerGaps.count) between strokes
    """
  }

  /// Each kind of gap has its own scale: faults are few compared with strokes.
  private func bars(_ gaps: [Double], _ style: String) -> String {
    let classes = zip(Self.bounds, Self.bounds.dropFirst())
    let counts = classes.map { low, high in gaps.count { $0 >= low && $0 < high } }
    guard let highest = counts.max(), highest > 0 else { return "" }
    return zip(classes, counts).map { bounds, count in
      guard count > 0 else { return "" }
      let size = max(2, Double(count) / Double(highest) * (Self.height - 6))
      let (x, end) = (Self.x(bounds.0) + 1, Self.x(bounds.1) - 1)
      return """
        <rect class="\(style)" x="\(Markup.length(x))" y="\(Markup.length(Self.bottom - size))" \
        width="\(Markup.length(end - x))" height="\(Markup.length(size))">\
        <title>\(Markup.text("\(count) of \(Int(bounds.0))–\(Int(bounds.1)) ms"))</title></rect>

        """
    }.joined()
  }

  private var threshold: String {
    guard let threshold = finding.threshold else { return "" }
    let x = Self.x(threshold)
    let isLeft = x > Self.width / 2
    return """
      <line class="threshold" x1="\(Markup.length(x))" y1="4" x2="\(Markup.length(x))" \
      y2="\(Markup.length(Self.bottom))"/>
      <text class="mark" x="\(Markup.length(isLeft ? x - 5 : x + 5))" y="15" \
      text-anchor="\(isLeft ? "end" : "start")">threshold \(threshold.short) ms</text>

      """
  }

  private var axis: String {
    var text = """
      <line class="axis" x1="\(Markup.length(Self.left))" y1="\(Markup.length(Self.bottom))" \
      x2="\(Markup.length(Self.width - Self.left))" y2="\(Markup.length(Self.bottom))"/>

      """
    for gap in Self.bounds.dropLast() {
      text += """
        <text class="tick" x="\(Markup.length(Self.x(gap)))" y="\(Markup.length(Self.bottom + 15))" \
        text-anchor="middle">\(Int(gap))</text>

        """
    }
    return text + """
      <text class="tick" x="\(Markup.length(Self.width - Self.left))" y="\(Markup.length(Self.bottom + 31))" \
      text-anchor="end">gap from release to press, ms</text>

      """
  }
}
