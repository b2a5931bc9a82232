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
  ///
  /// - Throws: ``FileError``.
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
