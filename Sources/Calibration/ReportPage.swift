import Configuration
import Debounce
import EventDevices
import Status
import SystemPackage
import Terminal

/// A page about a calibration in HTML: a single file to read, print and keep.
public struct ReportPage {
  private let result: CalibrationResult
  /// The proposed device file; `nil` if there is nothing to set.
  private let file: String?

  public init(of result: CalibrationResult, file: String?) {
    self.result = result
    self.file = file
  }

  /// Writes the page. It names keys, so that only the user may read it: who called with sudo.
  public func write(to path: String) throws {
    do {
      try WholeFile.replace(
        path, with: html.utf8, permissions: .ownerReadWrite, owner: Caller.beforeSudo)
    } catch {
      throw FileError(operation: "write", path: path, reason: error)
    }
  }

  public var html: String {
    """
    <!DOCTYPE html>
    <html lang="en" xmlns="http://www.w3.org/1999/xhtml">
    <head>
    <meta charset="utf-8"/>
    <meta name="viewport" content="width=device-width, initial-scale=1"/>
    <title>\(Markup.text("\(name): keydebounce calibrate"))</title>
    <style>
    \(ReportStyle.css)
    </style>
    </head>
    <body>
    <main>
    \(heading)\(keyboard)\(blocks)\(table)\(proposal)\(method)</main>
    </body>
    </html>

    """
  }

  private var name: String { result.device.name.isEmpty ? "(no name)" : result.device.name }

  private var heading: String {
    let worn = result.worn
    let words =
      worn.isEmpty
      ? "\(result.headline.prefix(1).uppercased() + result.headline.dropFirst())."
      : "\(worn.count == 1 ? "One key is" : "\(worn.count) keys are") worn: "
        + worn.map(\.title).joined(separator: ", ") + "."
    let numbers = [result.device.vendor, result.device.product].map { $0.hexadecimal() }
      .joined(separator: ":")
    let facts =
      "\(numbers) · \(result.day) · \(result.strokes.counted("stroke")) of \(result.keys.count.counted("key")) · keydebounce \(Version.current)"
    return Markup.element("h1", Markup.text(name)) + "\n"
      + Markup.element("p", class: "soft", Markup.text(facts)) + "\n"
      + Markup.element(
        "p", class: "summary \(worn.isEmpty ? "healthy" : "bad")", Markup.text(words))
      + "\n"
  }

  private var keyboard: String {
    guard let keyboard = ReportKeyboard(of: result.keys, labels: result.labels) else {
      return ""
    }
    return "<figure>\n\(keyboard.svg)<figcaption>\(ReportKeyboard.legend)</figcaption>\n</figure>\n"
  }

  private var table: String {
    guard !result.keys.isEmpty else { return "" }
    let rows = result.keys.map { finding in
      (
        style: finding.verdict.pageStyle,
        cells: [
          finding.title, finding.verdict.title, finding.strokes.grouped, finding.rateInWords,
          finding.lineInTable,
        ]
      )
    }
    return "<h2>All keys</h2>\n"
      + Markup.table(["Key", "Verdict", "Strokes", "Faulty", "Line"], rows)
  }

  private var blocks: String {
    guard !result.worn.isEmpty else { return "" }
    let legend =
      [("fault", "within faults"), ("finger", "between strokes"), ("threshold", "threshold")]
      .map { Markup.swatch($0.0, $0.1) }.joined(separator: " ")
    return "<h2>Worn keys</h2>\n<p class=\"soft\">Gaps: \(legend)</p>\n"
      + result.worn.map(block).joined()
  }

  private func block(_ finding: KeyFinding) -> String {
    let list = finding.entries(settings: result.settings).map {
      Markup.element("dt", Markup.text($0.subject)) + Markup.element("dd", Markup.text($0.text))
        + "\n"
    }.joined()
    let title =
      Markup.text(finding.title) + " "
      + Markup.element("span", class: "bad", Markup.text(finding.verdict.title))
    return "<section class=\"key\">\n" + Markup.element("h3", title) + "\n"
      + (finding.faultGaps.isEmpty
        ? "" : "<figure>\n\(ReportHistogram(of: finding).svg)</figure>\n")
      + "<dl>\n\(list)</dl>\n</section>\n"
  }

  private var proposal: String {
    guard let file else { return "" }
    return "<h2>Device file</h2>\n<p>For the folder calibrated.d of the configuration, where "
      + "“keydebounce calibrate --apply” writes it:</p>\n<pre>\(Markup.lines(file))</pre>\n"
  }

  private var method: String {
    let counted = """
      The service has counted what its strategy removed. That shows which switches are worn, and no gap that was passed on: \
      what a setting does is not known from it.
      """
    let played = """
      Each setting was tried by having it debounce the measurement, and judged by strokes that it was not chosen by. What \
      comes through now is what the strategy \(result.strategy.name) lets through, as it is set.
      """
    let sentences = [
      "Measured by \(result.method.inWords). \(result.method == .counts ? counted : played)",
      """
      A gap is the time from a key's release to its next press. A fault is a press or a release that no finger made: while \
      a key goes down (press bounce, A), while it comes up (release bounce, B), or while it is held (drop-out, C). Where \
      single taps and long holds were asked for, every second contact is a fault; in typing only what no finger does \
      counts as one, so that the rate is a lower bound.
      """,
      """
      A switch is called worn by a test that takes fewer than one in 1000 healthy switches for worn, however long one \
      measures. Rates have exact 95 % intervals (Clopper and Pearson).
      """,
    ]
    return "<h2>How it was measured</h2>\n"
      + sentences.map { Markup.element("p", class: "soft", Markup.text($0)) + "\n" }.joined()
  }
}

/// The style of the page, for light and dark screens and for paper.
enum ReportStyle {
  static let css = """
    :root { color-scheme: light dark; --paper: #fdfdfb; --ink: #1d2328; --soft: #5b6670; --line: #d5dade;
      --bad: #c0392b; --bad-soft: #f6d5d0; --good: #2e7d4f; --good-soft: #d8ecdf; --doubt: #9a6a00;
      --doubt-soft: #f6e7c1; --dim: #eceff1; --mark: #1f5fbf; }
    @media (prefers-color-scheme: dark) { :root { --paper: #14181b; --ink: #e6e9eb; --soft: #9aa5ad;
      --line: #38424a; --bad: #ff8a7a; --bad-soft: #5a2620; --good: #7fd3a0; --good-soft: #1f4530;
      --doubt: #f0c05a; --doubt-soft: #4d3a10; --dim: #232a2f; --mark: #8ab8ff; } }
    @media print { :root { --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --bad: #b02a1c;
      --bad-soft: #f3c9c2; --good: #22663f; --good-soft: #dcebe1; --doubt: #7a5400; --doubt-soft: #f3e6c6;
      --dim: #eee; --mark: #174a96; }
      * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
      section.key, svg, tr { break-inside: avoid; } h2, h2 + p { break-after: avoid; }
      main { max-width: none !important; padding: 0 !important; } }
    @page { margin: 16mm; }
    body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
    main { max-width: 52rem; margin: 0 auto; padding: 2.5rem 1.25rem; }
    h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .25rem; }
    h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
    h3 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
    p { margin: .5rem 0; } .soft, figcaption { color: var(--soft); }
    .summary { font-size: 1.15rem; margin: .75rem 0; }
    .summary.bad, h3 .bad, tr.bad td:nth-child(2) { color: var(--bad); font-weight: 600; }
    .summary.healthy, tr.healthy td:nth-child(2) { color: var(--good); }
    tr.doubtful td:nth-child(2) { color: var(--doubt); }
    table { border-collapse: collapse; width: 100%; font-size: .92rem; font-variant-numeric: tabular-nums; }
    th, td { text-align: left; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
    thead th { color: var(--soft); font-weight: 500; } tbody th { font-weight: 600; }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; margin: .75rem 0; }
    section.key figure { max-width: 34rem; }
    dt { color: var(--soft); } dd { margin: 0; }
    pre { background: var(--dim); padding: 1rem; border-radius: 6px; font: .82rem/1.5 ui-monospace, monospace;
      white-space: pre-wrap; overflow-wrap: anywhere; }
    figure { margin: 1rem 0; } figcaption { font-size: .88rem; margin-top: .5rem; }
    svg { width: 100%; height: auto; display: block; } svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
    .keyboard text { text-anchor: middle; } .keyboard .rate { font-size: 9px; font-weight: 600; }
    .keyboard rect { stroke: var(--line); stroke-width: 1; fill: none; }
    .keyboard .bad rect { fill: var(--bad-soft); stroke: var(--bad); stroke-width: 2; }
    .keyboard .doubtful rect { fill: var(--doubt-soft); stroke: var(--doubt); }
    .keyboard .healthy rect { fill: var(--good-soft); } .keyboard .unknown rect { fill: var(--dim); }
    .keyboard .unpressed text { fill: var(--soft); }
    .item { white-space: nowrap; } .swatch { display: inline-block; width: .8em; height: .8em; border: 1px solid var(--line); border-radius: 3px;
      vertical-align: -1px; } .swatch.bad { background: var(--bad-soft); border-color: var(--bad); }
    .swatch.doubtful { background: var(--doubt-soft); border-color: var(--doubt); }
    .swatch.healthy { background: var(--good-soft); } .swatch.unknown { background: var(--dim); }
    .swatch.fault { background: var(--bad); } .swatch.finger { background: var(--good); }
    .swatch.threshold { background: var(--mark); }
    .fault { fill: var(--bad); } .finger { fill: var(--good); opacity: .75; }
    .threshold { stroke: var(--mark); stroke-width: 2; } svg .mark { fill: var(--mark); font-weight: 600; }
    .axis { stroke: var(--soft); } svg .tick, svg .note { fill: var(--soft); font-size: 11px; }
    @media screen and (max-width: 40rem) { main { padding: 1rem .75rem; } table { font-size: .75rem; }
      th, td { padding-right: .4rem; overflow-wrap: anywhere; } pre { font-size: .7rem; } dl { display: block; }
      dd { margin: 0 0 .5rem; } .keyboard { overflow-x: auto; } .keyboard svg { min-width: 40rem; }
      .item { white-space: normal; } }
    @media print { pre { font-size: .66rem; } }
    """
}

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

/// Pieces of a page that is both HTML and XML.
enum Markup {
  /// The text, so that nothing in it is taken for markup.
  static func text(_ text: String) -> String {
    text.printable.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
  }

  /// The same of several lines.
  static func lines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { Self.text(String($0)) }
      .joined(separator: "\n")
  }

  /// An element around markup.
  static func element(_ name: String, class style: String? = nil, _ inside: String) -> String {
    "<\(name)\(style.map { " class=\"\($0)\"" } ?? "")>\(inside)</\(name)>"
  }

  /// A patch in the colours of a style, and what they mean.
  static func swatch(_ style: String, _ words: String) -> String {
    let patch = element("span", class: "swatch \(style)", "")
    return element("span", class: "item", "\(patch) \(text(words))")
  }

  /// A table from cells of text; the first column is of headings.
  static func table(_ titles: [String], _ rows: [(style: String, cells: [String])]) -> String {
    let head = titles.map { element("th", text($0)) }.joined()
    let body = rows.map { row in
      let cells = row.cells.enumerated().map {
        element($0.offset == 0 ? "th" : "td", text($0.element))
      }
      return "<tr class=\"\(row.style)\">\(cells.joined())</tr>\n"
    }
    return "<table>\n<thead><tr>\(head)</tr></thead>\n<tbody>\n\(body.joined())</tbody>\n</table>\n"
  }

  /// A length in a drawing.
  static func length(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0
      ? "\(tenths / 10)" : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }
}
