import Configuration
import Devices
import Files
import Status
import SystemPackage
import TerminalText

/// A page about a calibration in HTML: a single file to read, print and keep.
public struct ReportPage {
  private let result: CalibrationResult
  /// The proposed device file; `nil` if there is nothing to set.
  private let file: String?

  public init(of result: CalibrationResult, file: String?) {
    self.result = result
    self.file = file
  }

  /// Writes the page. It names keys, so that only the user may read it.
  ///
  /// - Throws: ``FileError``.
  public func write(to path: String) throws {
    do {
      try WholeFile.replace(path, with: html.utf8, permissions: .ownerReadWrite)
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
    \(heading)\(keyboard)\(table)\(blocks)\(proposal)\(method)</main>
    </body>
    </html>

    """
  }

  private var name: String { result.device.name.isEmpty ? "(no name)" : result.device.name }

  private var heading: String {
    let bad = result.faulty
    let words =
      result.diagnoses.isEmpty
      ? "No key was pressed."
      : bad.isEmpty
        ? "No bad key was found."
        : "\(bad.count == 1 ? "One key is" : "\(bad.count) keys are") bad: "
          + bad.map { "\($0.title) (\($0.finding.title))" }.joined(separator: ", ") + "."
    let numbers = [result.device.vendor, result.device.product].map { $0.hexadecimal() }
      .joined(separator: ":")
    let facts =
      "\(numbers) · \(result.day) · \(result.strokes.counted("stroke")) of \(result.diagnoses.count.counted("key")) · keydebounce \(Version.current)"
    return Markup.element("h1", Markup.text(name)) + "\n"
      + Markup.element("p", class: "soft", Markup.text(facts)) + "\n"
      + Markup.element("p", class: "summary \(bad.isEmpty ? "healthy" : "bad")", Markup.text(words))
      + "\n"
  }

  private var keyboard: String {
    guard let keyboard = ReportKeyboard(of: result.diagnoses, labels: result.labels) else {
      return ""
    }
    return "<figure>\n\(keyboard.svg)<figcaption>\(ReportKeyboard.legend)</figcaption>\n</figure>\n"
  }

  private var table: String {
    guard !result.diagnoses.isEmpty else { return "" }
    let rows = result.diagnoses.map { diagnosis in
      (
        style: diagnosis.finding.pageStyle,
        cells: [
          diagnosis.title, diagnosis.finding.title, diagnosis.strokes.grouped,
          diagnosis.faults.total.grouped, diagnosis.rateInWords,
          diagnosis.proposal?.setting.title ?? "",
        ]
      )
    }
    return "<h2>Keys</h2>\n"
      + Markup.table(["Key", "Verdict", "Strokes", "Faults", "Rate, 95 %", "Setting"], rows)
  }

  private var blocks: String {
    guard !result.faulty.isEmpty else { return "" }
    let legend =
      [
        ("fault", "gaps of faults"), ("finger", "gaps of fingers"), ("band", "your band"),
        ("threshold", "threshold"),
      ].map { Markup.swatch($0.0, $0.1) }.joined(separator: " &#160; ")
    return "<h2>Bad keys</h2>\n<p class=\"soft\">\(legend)</p>\n"
      + result.faulty.map(block).joined()
  }

  private func block(_ diagnosis: Diagnosis) -> String {
    var entries = [
      ("faults", "\(diagnosis.faultsInWords) in \(diagnosis.strokes.counted("stroke"))"),
      (
        "rate",
        "\(diagnosis.rate.share.percent) of strokes, \(diagnosis.rate.interval.percent) with 95 % confidence"
          + (diagnosis.isRateLabelled ? "" : ", at least")
      ),
    ]
    if let faults = diagnosis.faultGaps { entries.append(("gaps of faults", faults.inWords)) }
    if let fingers = diagnosis.gaps { entries.append(("gaps of fingers", fingers.inWords)) }
    if let holds = diagnosis.holds { entries.append(("holds", holds.inWords)) }
    if let proposal = diagnosis.proposal {
      entries += [
        ("setting", proposal.setting.inWords),
        (
          "loses",
          "\(proposal.lostPerThousand.inWords) of 1000 genuine presses; of 1000 doubles \(proposal.lostPerThousandDoubles.inWords)"
        ),
        ("misses", "\(proposal.missed.percentInWords) of the faults"),
        (
          "latency",
          "presses \(proposal.pressLatency.short) ms, releases \(proposal.releaseLatency.short) ms on average"
        ),
      ]
    }
    entries.append(("advice", diagnosis.advice))
    let list = entries.map {
      Markup.element("dt", Markup.text($0.0)) + Markup.element("dd", Markup.text($0.1)) + "\n"
    }.joined()
    let title =
      Markup.text(diagnosis.title) + " "
      + Markup.element("span", class: "bad", Markup.text(diagnosis.finding.title))
    var text = "<section class=\"key\">\n" + Markup.element("h3", title) + "\n"
    text += "<figure>\n\(ReportHistogram(of: diagnosis).svg)</figure>\n<dl>\n\(list)</dl>\n"
    if diagnosis.finding == .overlap {
      text += Markup.table(
        ["Threshold", "Faults that come through", "Lost of 1000 doubles"],
        diagnosis.tradeOff.map {
          (
            style: "",
            cells: [
              "\($0.threshold.short) ms", $0.missed.percentInWords,
              $0.lostPerThousandDoubles.inWords,
            ]
          )
        })
    }
    return text + "</section>\n"
  }

  private var proposal: String {
    guard let file else { return "" }
    return "<h2>Device file</h2>\n<p>For the folder calibrated.d of the configuration, where "
      + "“keydebounce calibrate --apply” writes it:</p>\n<pre>\(Markup.lines(file))</pre>\n"
  }

  private var method: String {
    var sentences = ["Measured by \(result.method.inWords)."]
    if let poll = result.poll {
      sentences.append(
        "The device is polled every \(poll) ms: gaps cannot be measured more finely.")
    }
    if result.typesLikeAMachine {
      sentences.append(
        """
        A machine types on the device (a scanner, a macro or an expander of text); its fast strokes may be counted \
        as faults here.
        """)
    }
    if result.isBursty {
      sentences.append(
        "Its receiver delivers several events at once; gaps and holds in free typing cannot be trusted."
      )
    }
    sentences.append(
      """
      A gap is the time from a key's release to its next press, a hold that from a press to its release. A fault is \
      a press or a release that no finger made: while a key goes down (press bounce, A), while it comes up (release \
      bounce, B), or while it is held (drop-out, C). Where single taps and long holds were asked for, every second \
      contact is a fault; in typing only what hardly any finger does counts as one, so that the rate is a lower bound.
      """)
    sentences.append(
      """
      A key is called bad by a sequential test that takes fewer than one in 1000 healthy keys for bad, however long \
      one measures. Rates have exact 95 % intervals (Clopper and Pearson); percentiles are those of 1, 5, 50, 95 and \
      99 %.
      """)
    return "<h2>How it was measured</h2>\n"
      + sentences.map { Markup.element("p", class: "soft", Markup.text($0)) + "\n" }.joined()
  }
}
