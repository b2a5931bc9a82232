import TerminalText

/// All that was found out about one key.
struct CalibrationBlock {
  private let verdict: Verdict

  init(of verdict: Verdict) {
    self.verdict = verdict
  }

  func lines(on sheet: Sheet) -> [String] {
    var lines = [
      sheet.line([
        StyledText(verdict.name, .bold), StyledText(" "),
        StyledText(verdict.finding.title, styles: verdict.finding.styles),
      ])
    ]
    func entry(_ word: String, _ text: String) {
      lines += sheet.wrapped(
        [StyledText(text)], after: [.blank(2), StyledText(word.padded(to: 11), .faint)])
    }
    entry("faults", "\(verdict.faultsInWords) in \(verdict.strokes.counted("stroke"))")
    entry("rate", rate)
    entry("gaps", "at 1, 5, 50, 95 and 99 %")
    if let faults = verdict.faultGaps { entry("  faults", faults.inWords) }
    if let fingers = verdict.gaps { entry("  fingers", fingers.inWords) }
    if let holds = verdict.holds { entry("holds", holds.inWords) }
    lines += HistogramDrawing(of: verdict).lines(on: sheet)
    entry("doubles", doubles)
    if let proposal = verdict.proposal {
      entry("setting", proposal.setting.inWords)
      entry(
        "loses",
        """
        \(proposal.lostPerThousand.inWords) of 1000 genuine presses; of 1000 doubles \
        \(proposal.lostPerThousandDoubles.inWords)
        """)
      entry("misses", "\(proposal.missed.percentInWords) of the faults")
      entry(
        "latency",
        """
        presses \(proposal.pressLatency.short) ms, releases \(proposal.releaseLatency.short) ms on average
        """)
    }
    entry("advice", verdict.advice)
    if verdict.finding == .overlap { lines += tradeOff(on: sheet) }
    return lines
  }

  private var rate: String {
    let kind =
      verdict.isRateLabelled
      ? "of taps and holds that were asked for"
      : "at least: in typing only what no finger does counts as a fault"
    return
      "\(verdict.rate.share.percent) of strokes, \(verdict.rate.interval.percent) with 95 % confidence; \(kind)"
  }

  private var doubles: String {
    """
    1 % of your doubles have gaps below \(verdict.humanBand.lowerBound.short) ms, half of them below \
    \(verdict.humanBand.upperBound.short) ms (from \(verdict.humanDoubles.counted("double")) of yours and those of \
    many people)
    """
  }

  /// What each threshold would do.
  private func tradeOff(on sheet: Sheet) -> [String] {
    func column(_ title: String, cell: (Verdict.TradeOff) -> String) -> TextTable.Column {
      TextTable.Column(title: title, cells: verdict.tradeOff.map { StyledText(cell($0)) })
    }
    return TextTable(columns: [
      column("THRESHOLD") { "\($0.threshold.short) ms" },
      column("FAULTS THROUGH") { $0.missed.percentInWords },
      column("LOST OF 1000 DOUBLES") { $0.lostPerThousandDoubles.inWords },
    ]).lines(on: sheet)
  }
}
