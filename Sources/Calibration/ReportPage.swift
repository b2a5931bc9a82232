import Configuration
import Debounce
import EventDevices
import Files
import Reports
import Status
import SystemPackage
import Terminal

/// A page about a calibration: a single file of HTML, which is XML as well, to read, print and keep.
public struct ReportPage {
  private let result: CalibrationResult
  /// The proposed device file; `nil` if there is nothing to set.
  private let file: String?

  public init(of result: CalibrationResult, file: String?) {
    (self.result, self.file) = (result, file)
  }

  /// Writes the page. It names keys, so that only the user may read it, or who called sudo.
  public func write(to path: String) throws(FileError) {
    try writeAsCallerOfSudo(path) { () throws(Errno) in
      try WholeFile.create(path, with: html.utf8, permissions: .ownerReadWrite)
    }
  }

  /// Finds out whether the page could be written.
  public static func checkPlace(_ path: String) throws(FileError) {
    try writeAsCallerOfSudo(path) { () throws(Errno) in try WholeFile.checkPlace(for: path) }
  }

  var html: String {
    """
    <!DOCTYPE html>
    <html lang="en" xmlns="http://www.w3.org/1999/xhtml">
    <head>
    <meta charset="utf-8"/>
    <meta name="viewport" content="width=device-width, initial-scale=1"/>
    \(element("title", escaped("\(result.name): keydebounce calibrate")))
    <style>
    \(Self.style)
    </style>
    </head>
    <body>
    <main>
    \(heading)\(keyboard)\(sections)\(table)\(proposal)\(method)
    </main>
    </body>
    </html>

    """
  }

  private var heading: String {
    let worn = result.worn.map(\.title).joined(separator: ", ")
    let words = result.headline.capitalised + (worn.isEmpty ? "." : ": \(worn).")
    let numbers = result.device.identity.numbers
    let facts = "\(numbers) · \(result.day) · \(result.extent) · keydebounce \(Version.current)"
    return element("h1", escaped(result.name)) + paragraph(facts)
      + paragraph(words, "summary \(worn.isEmpty ? "healthy" : "bad")")
  }

  private var sections: String {
    guard !result.explained.isEmpty else { return "" }
    let gaps = [
      ("fault", "within faults"), ("finger", "between strokes"), ("threshold", "threshold"),
    ].map { swatch($0, $1) }.joined()
    return element("h2", "A closer look") + element("p", ["class": "soft"], "Gaps: \(gaps)")
      + result.explained.map(section).joined()
  }

  private func section(_ finding: KeyFinding) -> String {
    let verdict = element(
      "span", ["class": finding.verdict.shown.page], escaped(finding.verdict.shown.title))
    let list = finding.entries(of: result).map {
      element("dt", escaped($0.subject)) + element("dd", escaped($0.text))
    }
    return element(
      "section",
      element("h3", "\(escaped(finding.title)) \(verdict)")
        + (finding.faultGaps.isEmpty ? "" : element("figure", Histogram(finding: finding).svg))
        + element("dl", list.joined()))
  }

  private var table: String {
    guard !result.keys.isEmpty else { return "" }
    let titles = ["Key", "Verdict", "Strokes", "Faulty", "Line"]
    let rows = result.keys.map { finding in
      let cells = [
        finding.verdict.shown.title, finding.strokes.grouped, finding.rateInWords,
        finding.lineInTable,
      ]
      return element(
        "tr", ["class": finding.verdict.shown.page],
        element("th", escaped(finding.title))
          + cells.map { element("td", escaped($0)) }.joined())
    }
    let head = element("tr", titles.map { element("th", $0) }.joined())
    return element("h2", "All keys")
      + element("table", element("thead", head) + element("tbody", rows.joined()))
  }

  private var proposal: String {
    guard let file else { return "" }
    let lines = file.split(separator: "\n", omittingEmptySubsequences: false)
    return element("h2", "Device file")
      + paragraph(
        "For the folder \(ConfigurationPlaces.calibrationsFolder) of the configuration, where “keydebounce calibrate” writes it after a yes:"
      )
      + element("pre", lines.map { escaped(String($0)) }.joined(separator: "\n"))
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
    return element("h2", "How it was measured")
      + [
        "Measured from \(result.method.shown.words). \(result.method == .counts ? counted : played)",
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
      ].map { paragraph($0) }.joined()
  }

  /// The style sheet for light and dark screens, narrow ones, and paper.
  private static let style = """
    :root { color-scheme: light dark; --paper: #fdfdfb; --ink: #1d2328; --soft: #5b6670; --line: #d5dade;
      --bad: #c0392b; --bad-soft: #f6d5d0; --good: #2e7d4f; --good-soft: #d8ecdf; --doubt: #9a6a00;
      --doubt-soft: #f6e7c1; --dim: #eceff1; --mark: #1f5fbf; }
    @media screen and (prefers-color-scheme: dark) { :root { --paper: #14181b; --ink: #e6e9eb; --soft: #9aa5ad;
      --line: #38424a; --bad: #ff8a7a; --bad-soft: #5a2620; --good: #7fd3a0; --good-soft: #1f4530;
      --doubt: #f0c05a; --doubt-soft: #4d3a10; --dim: #232a2f; --mark: #8ab8ff; } }
    body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
    main { max-width: 52rem; margin: 0 auto; padding: 2.5rem 1.25rem; }
    h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .25rem; }
    h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
    h3 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
    p { margin: .5rem 0; } .soft, figcaption, dt, thead th { color: var(--soft); }
    .summary { font-size: 1.15rem; margin: .75rem 0; }
    .summary.bad, h3 .bad, tr.bad td:nth-child(2) { color: var(--bad); font-weight: 600; }
    .summary.healthy, h3 .healthy, tr.healthy td:nth-child(2) { color: var(--good); }
    h3 .doubtful, tr.doubtful td:nth-child(2) { color: var(--doubt); }
    table { border-collapse: collapse; width: 100%; font-size: .92rem; font-variant-numeric: tabular-nums; }
    th, td { text-align: left; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
    thead th { font-weight: 500; } tbody th { font-weight: 600; }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; margin: .75rem 0; }
    dd { margin: 0; } section figure { max-width: 34rem; }
    pre { background: var(--dim); padding: 1rem; border-radius: 6px; font: .82rem/1.5 ui-monospace, monospace;
      white-space: pre-wrap; overflow-wrap: anywhere; }
    figure { margin: 1rem 0; } figcaption { font-size: .88rem; margin-top: .5rem; }
    svg { width: 100%; height: auto; display: block; } svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
    .keyboard text { text-anchor: middle; } .keyboard .rate { font-size: 9px; font-weight: 600; }
    .keyboard rect { stroke: var(--line); fill: none; } .keyboard .unpressed text { fill: var(--soft); }
    .keyboard .bad rect, .swatch.bad { fill: var(--bad-soft); stroke: var(--bad); stroke-width: 2; background: var(--bad-soft); }
    .keyboard .doubtful rect, .swatch.doubtful { fill: var(--doubt-soft); stroke: var(--doubt); background: var(--doubt-soft); }
    .keyboard .healthy rect, .swatch.healthy { fill: var(--good-soft); background: var(--good-soft); }
    .keyboard .unknown rect, .swatch.unknown { fill: var(--dim); background: var(--dim); }
    .fault { fill: var(--bad); background: var(--bad); } .finger { fill: var(--good); background: var(--good); }
    .threshold { stroke: var(--mark); stroke-width: 2; background: var(--mark); }
    svg .mark { fill: var(--mark); font-weight: 600; } .axis { stroke: var(--soft); }
    svg .tick { fill: var(--soft); font-size: 11px; text-anchor: middle; }
    .item { white-space: nowrap; margin-right: .6em; } .swatch { display: inline-block; width: .8em; height: .8em;
      border: 1px solid var(--line); border-radius: 3px; vertical-align: -1px; }
    @media screen and (max-width: 40rem) { main { padding: 1rem .75rem; } table { font-size: .75rem; }
      th, td { padding-right: .4rem; } td:last-child { overflow-wrap: anywhere; } pre { font-size: .7rem; } dl { display: block; }
      dd { margin: 0 0 .5rem; } .keyboard text { font-size: 19px; } .keyboard .long { font-size: 14px; } .keyboard .bad text { font-weight: 700; }
      .keyboard .rate { font-size: 13px; } }
    @page { margin: 16mm; }
    @media print { * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } pre { font-size: .66rem; }
      :root { --paper: #fff; } section, svg, tr { break-inside: avoid; } h2, h2 + p { break-after: avoid; }
      main { max-width: none; padding: 0; } }
    """
}

// MARK: - Drawings

extension ReportPage {
  /// A drawing of the keyboard, each key coloured by its verdict; empty for a device that is no keyboard.
  private var keyboard: String {
    let findings = Dictionary(
      result.keys.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    guard findings.keys.contains(where: KeyboardLayout.letters.contains) else { return "" }
    let layout = KeyboardLayout(
      hasNumpad: KeyboardLayout.numpadKeys.contains { findings[$0] != nil },
      hasAngleKey: findings[86] != nil, labels: result.labels)
    let caps = layout.rows.enumerated().flatMap { row, keys in
      keys.map { cap($0, at: (Double($0.x) * 10, Double(row) * 44), findings[$0.code]) }
    }
    let drawing = element(
      "svg",
      [
        "viewBox": "0 0 \(layout.width * 10) \(layout.rows.count * 44)", "role": "img",
        "aria-label": "The keyboard, each key coloured by what was found",
      ], caps.joined())
    let present = Set(findings.values.map(\.verdict.shown.page) + ["unpressed"])
    let legend = [
      ("bad", "worn, with its share of faulty strokes"), ("doubtful", "? comes twice"),
      ("healthy", "healthy"), ("unknown", "… undecided, ⚙ a machine"),
      ("unpressed", "never pressed"),
    ].filter { present.contains($0.0) }
    return element(
      "figure", ["class": "keyboard"],
      drawing + element("figcaption", legend.map { swatch($0, $1) }.joined()))
  }

  private func cap(
    _ key: KeyboardLayout.Key, at place: (x: Double, y: Double), _ finding: KeyFinding?
  ) -> String {
    let width = Double(key.width) * 10
    func label(_ text: String, _ style: String, y: Double) -> String {
      element(
        "text", ["class": style, "x": place.x + width / 2, "y": place.y + y], escaped(text))
    }
    var parts = [
      element(
        "rect",
        ["x": place.x + 1.5, "y": place.y + 1.5, "width": width - 3, "height": 41, "rx": 5]),
      label(key.label, key.label.count > 1 ? "long" : "short", y: 20),
    ]
    if let finding {
      // Some people see no colours, so that each coloured key has a mark, too.
      if let mark = finding.isWorn ? finding.rate.share.percent : finding.verdict.shown.mark {
        parts.append(label(mark, "rate", y: 35))
      }
      let strokes = finding.strokes.counted("stroke")
      parts.append(
        element("title", escaped("\(finding.title): \(finding.verdict.shown.title), \(strokes)")))
    }
    return element(
      "g", ["class": finding?.verdict.shown.page ?? "unpressed"], parts.joined())
  }
}

/// A drawing of a key's gaps: those within faults and those between strokes, with the threshold.
private struct Histogram {
  let finding: KeyFinding

  private static let width = 400.0
  private static let margin = 8.0
  /// The line on which the bars stand, and the height of the highest.
  private static let bottom = 134.0
  private static let height = 104.0

  /// The bounds of the classes of gaps, in milliseconds. Each class is about a third longer than the one before.
  private static let bounds = [0.0, 2, 4, 6, 8, 12, 16, 24, 32, 46, 64, 90, 128, 180, 256]

  private static func x(_ gap: Double) -> Double {
    let index = bounds.lastIndex { $0 <= gap } ?? 0
    var place = Double(index)
    if index + 1 < bounds.count {
      place += (gap - bounds[index]) / (bounds[index + 1] - bounds[index])
    }
    return margin + place / Double(bounds.count - 1) * (width - 2 * margin)
  }

  var svg: String {
    let (faults, strokes) = (finding.faultGaps, finding.fingerGaps)
    return element(
      "svg",
      [
        "viewBox": "0 0 400 172", "role": "img",
        "aria-label":
          "Gaps of \(finding.title): \(faults.count) within faults, \(strokes.count) between strokes",
      ],
      bars(strokes, "finger") + bars(faults, "fault") + axis + threshold)
  }

  /// The bars of one kind of gaps. Each kind has its own scale, because faults are few compared with strokes.
  private func bars(_ gaps: [Double], _ style: String) -> String {
    let counts = zip(Self.bounds, Self.bounds.dropFirst()).map { low, high in
      (low: low, high: high, count: gaps.count { $0 >= low && $0 < high })
    }
    let highest = counts.map(\.count).max() ?? 0
    return counts.filter { $0.count > 0 }.map { low, high, count in
      let size = max(2, Double(count) / Double(highest) * Self.height)
      return element(
        "rect",
        [
          "class": style, "x": Self.x(low) + 1, "y": Self.bottom - size,
          "width": Self.x(high) - Self.x(low) - 2, "height": size,
        ], element("title", "\(count) of \(Int(low))–\(Int(high)) ms"))
    }.joined()
  }

  private var threshold: String {
    guard let threshold = finding.threshold else { return "" }
    let x = Self.x(threshold)
    let isLeft = x > Self.width / 2
    return element("line", ["class": "threshold", "x1": x, "y1": 4, "x2": x, "y2": Self.bottom])
      + element(
        "text",
        [
          "class": "mark", "x": isLeft ? x - 5 : x + 5, "y": 15,
          "text-anchor": isLeft ? "end" : "start",
        ], "threshold \(threshold.short) ms")
  }

  private var axis: String {
    let end = Self.width - Self.margin
    return element(
      "line",
      ["class": "axis", "x1": Self.margin, "y1": Self.bottom, "x2": end, "y2": Self.bottom])
      + Self.bounds.dropLast().map {
        element("text", ["class": "tick", "x": Self.x($0), "y": Self.bottom + 15], "\(Int($0))")
      }.joined()
      + element(
        "text", ["class": "tick", "x": Self.width / 2, "y": Self.bottom + 31],
        "gap from release to press, ms")
  }
}

// MARK: - Markup

/// An element around markup. Lengths are given to a tenth.
private func element(
  _ name: String, _ attributes: KeyValuePairs<String, any CustomStringConvertible> = [:],
  _ inside: String = ""
) -> String {
  let attributes = attributes.map { name, value in
    let value = (value as? Double).map { "\(($0 * 10).rounded() / 10)" } ?? escaped("\(value)")
    return " \(name)=\"\(value)\""
  }
  return "<\(name)\(attributes.joined())>\(inside)</\(name)>\n"
}

private func element(_ name: String, _ inside: String) -> String { element(name, [:], inside) }

private func paragraph(_ text: String, _ style: String = "soft") -> String {
  element("p", ["class": style], escaped(text))
}

/// A patch in the colours of a style, with words for what they mean.
private func swatch(_ style: String, _ words: String) -> String {
  element(
    "span", ["class": "item"],
    "\(element("span", ["class": "swatch \(style)"])) \(escaped(words))")
}

/// The text with signs in place of characters that would be markup.
private func escaped(_ text: String) -> String {
  // A character may join a bracket to an accent, and a browser sees the bracket. So each scalar is looked at.
  let entities: [Unicode.Scalar: String] = [
    "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;",
  ]
  return text.printable.unicodeScalars.map { entities[$0] ?? String($0) }.joined()
}
