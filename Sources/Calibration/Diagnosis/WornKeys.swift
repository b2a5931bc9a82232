import Debounce
import Status

/// The service's own question to the analysis.
extension Analysis {
  /// What is wrong with those of these switches that are certainly bad, according to the service's counts.
  ///
  /// It takes a millisecond or so for each key that is bad, and is not for a thread that keys wait for.
  ///
  /// - Parameters:
  ///   - keys: The keys in question.
  ///   - counts: The counts of all keys of the device.
  public static func verdicts(
    on keys: [KeyCode], countedAs counts: [KeyCode: KeyCounts]
  ) -> [KeyCode: KeyVerdict] {
    let all = Array(counts.values)
    return keys.reduce(into: [:]) { verdicts, key in
      guard let own = counts[key] else { return }
      verdicts[key] = diagnosis(of: key, counts: own, among: all).finding.verdict
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
