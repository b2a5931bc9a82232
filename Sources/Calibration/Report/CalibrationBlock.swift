import TerminalText

/// Everything that was found out about one key, as text.
struct CalibrationBlock {
  private let diagnosis: Diagnosis

  init(of diagnosis: Diagnosis) {
    self.diagnosis = diagnosis
  }

  func lines(on sheet: Sheet) -> [String] {
    var lines = [
      sheet.line([
        StyledText(diagnosis.title, .bold), StyledText(" "),
        StyledText(diagnosis.finding.title, styles: diagnosis.finding.styles),
      ])
    ]
    func entry(_ word: String, _ text: String) {
      lines += sheet.entry(word, text)
    }
    entry("faults", "\(diagnosis.faultsInWords) in \(diagnosis.strokes.counted("stroke"))")
    entry("rate", rate)
    entry("gaps", "at 1, 5, 50, 95 and 99 %")
    if let faults = diagnosis.faultGaps { entry("  faults", faults.inWords) }
    if let fingers = diagnosis.gaps { entry("  fingers", fingers.inWords) }
    if let holds = diagnosis.holds { entry("holds", holds.inWords) }
    if !sheet.isPlain { lines += HistogramDrawing(of: diagnosis).lines(on: sheet) }
    entry("doubles", doubles)
    if let proposal = diagnosis.proposal {
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
    entry("advice", diagnosis.advice)
    if diagnosis.finding == .overlap { lines += tradeOff(on: sheet) }
    return lines
  }

  private var rate: String {
    let kind =
      diagnosis.isRateLabelled
      ? "of taps and holds that were asked for"
      : "at least: in typing only what no finger does counts as a fault"
    return
      "\(diagnosis.rate.share.percent) of strokes, \(diagnosis.rate.interval.percent) with 95 % confidence; \(kind)"
  }

  private var doubles: String {
    """
    1 % of your doubles have gaps below \(diagnosis.humanBand.lowerBound.short) ms, half of them below \
    \(diagnosis.humanBand.upperBound.short) ms (from \(diagnosis.humanDoubles.counted("double")) of yours and those of \
    many people)
    """
  }

  /// What each threshold would do.
  private func tradeOff(on sheet: Sheet) -> [String] {
    func column(_ title: String, cell: (Diagnosis.TradeOff) -> String) -> TableColumn {
      TableColumn(title, cells: diagnosis.tradeOff.map { StyledText(cell($0)) })
    }
    return sheet.table([
      column("THRESHOLD") { "\($0.threshold.short) ms" },
      column("FAULTS THROUGH") { $0.missed.percentInWords },
      column("LOST OF 1000 DOUBLES") { $0.lostPerThousandDoubles.inWords },
    ])
  }
}
