import Debounce
import Status

/// The service's own question to the analysis.
extension Analysis {
  /// What is wrong with those of these switches that are certainly bad, according to the service's counts.
  ///
  /// Nearly nothing is worked out for a key of which that is not certain. For one that is bad it takes a millisecond or so, and
  /// is not for a thread that keys wait for.
  ///
  /// - Parameters:
  ///   - keys: The keys in question.
  ///   - counts: The counts of all keys of the device.
  public static func verdicts(
    on keys: [KeyCode], countedAs counts: [KeyCode: KeyCounts]
  ) -> [KeyCode: KeyVerdict] {
    let all = Array(counts.values)
    // The same for all of them.
    var finger: FingerGapModel?
    return keys.reduce(into: [:]) { verdicts, key in
      guard let own = counts[key] else { return }
      let evidence = CountsEvidence(of: own)
      guard evidence.test.isCertain, !evidence.isOfTheLink(among: all) else { return }
      let model = finger ?? FingerGapModel(of: all)
      finger = model
      let forecast = evidence.forecast(model, Costs())
      verdicts[key] =
        finding(
          on: evidence.faults, by: forecast, hasProposal: forecast.best() != nil
        ).verdict
    }
  }
}

extension Diagnosis.Finding {
  /// The verdict on a switch that is bad; `nil` if it is not.
  fileprivate var verdict: KeyVerdict? {
    switch self {
    case .chatters: .chatters
    case .dropsOut: .dropsOut
    case .overlap: .overlap
    case .healthy, .tooFewData, .receiverBursts: nil
    }
  }
}
