import TerminalText

/// A drawing (SVG) of a key's gaps: those of faults and of fingers, the person's band and the threshold.
struct ReportHistogram {
  private let diagnosis: Diagnosis

  init(of diagnosis: Diagnosis) {
    self.diagnosis = diagnosis
  }

  private static let width = 720.0
  private static let left = 8.0
  private static let top = 34.0
  private static let height = 130.0
  private static let bottom = top + height
  private static let scale = GapScale(columns: 1)

  private static func x(_ gap: Double) -> Double {
    left + scale.position(of: gap) * (width - 2 * left)
  }

  var svg: String {
    """
    <svg viewBox="0 0 720 204" role="img" aria-label="\(Markup.text(label))">
    \(band)\(bars(diagnosis.fingerGapHistogram, "finger"))\(bars(diagnosis.faultGapHistogram, "fault"))\(axis)\(threshold)</svg>

    """
  }

  private var label: String {
    """
    Gaps of \(diagnosis.title): \(diagnosis.faultGapHistogram.total) of faults, \
    \(diagnosis.fingerGapHistogram.total) of fingers
    """
  }

  /// Each kind of gap has its own scale: faults are few compared with a finger's doubles.
  private func bars(_ histogram: FineHistogram, _ style: String) -> String {
    let counts = Self.scale.counts(of: histogram)
    guard let highest = counts.max(), highest > 0 else { return "" }
    return counts.enumerated().map { index, count in
      guard count > 0 else { return "" }
      let (low, high) = (Double(GapScale.bounds[index]), Double(GapScale.bounds[index + 1]))
      let size = max(2, count / highest * (Self.height - 6))
      let (x, end) = (Self.x(low) + 1, Self.x(high) - 1)
      return """
        <rect class="\(style)" x="\(Markup.length(x))" y="\(Markup.length(Self.bottom - size))" \
        width="\(Markup.length(end - x))" height="\(Markup.length(size))">\
        <title>\(Markup.text("\(Int(count)) of \(Int(low))–\(Int(high)) ms"))</title></rect>

        """
    }.joined()
  }

  private var band: String {
    let x = Self.x(diagnosis.humanBand.lowerBound)
    let end = max(x + 2, Self.x(diagnosis.humanBand.upperBound))
    return """
      <rect class="band" x="\(Markup.length(x))" y="\(Markup.length(Self.top - 12))" \
      width="\(Markup.length(end - x))" height="\(Markup.length(Self.height + 12))"/>
      <text class="note" x="\(Markup.length((x + end) / 2))" y="14" text-anchor="middle">your doubles: 1–50 %</text>

      """
  }

  private var threshold: String {
    guard let threshold = diagnosis.proposal?.setting.threshold else { return "" }
    let x = Self.x(threshold)
    let isLeft = x > Self.width / 2
    return """
      <line class="threshold" x1="\(Markup.length(x))" y1="20" x2="\(Markup.length(x))" \
      y2="\(Markup.length(Self.bottom))"/>
      <text class="mark" x="\(Markup.length(isLeft ? x - 5 : x + 5))" y="30" \
      text-anchor="\(isLeft ? "end" : "start")">\(threshold.short) ms</text>

      """
  }

  private var axis: String {
    var text = """
      <line class="axis" x1="\(Markup.length(Self.left))" y1="\(Markup.length(Self.bottom))" \
      x2="\(Markup.length(Self.width - Self.left))" y2="\(Markup.length(Self.bottom))"/>

      """
    for gap in GapScale.bounds.dropLast() {
      text += """
        <text class="tick" x="\(Markup.length(Self.x(Double(gap))))" y="\(Markup.length(Self.bottom + 15))" \
        text-anchor="middle">\(gap)</text>

        """
    }
    return text + """
      <text class="tick" x="\(Markup.length(Self.width - Self.left))" y="\(Markup.length(Self.bottom + 32))" \
      text-anchor="end">gap from release to press, ms</text>

      """
  }
}
