import Configuration
import Debounce
import Devices

@testable import Calibration

/// Diagnoses as a calibration comes to them, made up so that texts can be compared.
enum CalibrationSamples {
  static let device = DeviceDescription(
    DeviceIdentity(
      name: "Desk \"Pro\" Keyboard", vendor: 0x3434, product: 0x0120, version: 1,
      uniq: "aa:bb:01"))

  static func histogram(_ gaps: [Int]) -> FineHistogram {
    var histogram = FineHistogram()
    for gap in gaps { histogram.add(Microseconds(gap) * 1000) }
    return histogram
  }

  private static func diagnosis(
    _ key: KeyCode, _ finding: Diagnosis.Finding, faults: FaultCounts = FaultCounts(),
    of strokes: Int,
    gaps: [Int] = [], proposal: Proposal? = nil, tradeOff: [Diagnosis.TradeOff] = []
  ) -> Diagnosis {
    let fingers = histogram(gaps.isEmpty ? [] : Array(60..<120))
    return Diagnosis(
      key: key, finding: finding, strokes: strokes, faults: faults,
      rate: FaultRate(faults: faults.total, strokes: strokes), isRateLabelled: true,
      certainty: faults.total > 0 ? 1 : 0, gaps: fingers.percentiles, holds: nil,
      faultGaps: histogram(gaps).percentiles, fingerGapHistogram: fingers,
      faultGapHistogram: histogram(gaps), humanBand: 38...78, humanDoubles: 60,
      proposal: proposal, tradeOff: tradeOff)
  }

  private static func proposal(_ setting: Setting) -> Proposal {
    Proposal(
      setting: setting, lostPerThousand: Estimate(0.31, in: 0.1...0.9),
      lostPerThousandDoubles: Estimate(4, in: 1...12), missed: Estimate(0.012, in: 0.004...0.03),
      pressLatency: 0.2, releaseLatency: 25, cost: 1)
  }

  /// `KEY_E` chatters.
  static var chattering: Diagnosis {
    var faults = FaultCounts()
    faults.pressBounces = 9
    faults.releaseBounces = 2
    faults.dropOuts = 1
    return diagnosis(
      18, .chatters, faults: faults, of: 160, gaps: [3, 4, 4, 5, 5, 5, 6, 6, 7, 8, 9, 14],
      proposal: proposal(.adaptive(threshold: 25)))
  }

  /// `KEY_SPACE` is hopeless.
  static var overlapping: Diagnosis {
    var faults = FaultCounts()
    faults.dropOuts = 14
    return diagnosis(
      57, .overlap, faults: faults, of: 90, gaps: Array(stride(from: 20, to: 90, by: 5)),
      proposal: proposal(.eagerDefer(threshold: 45)),
      tradeOff: [
        Diagnosis.TradeOff(
          threshold: 25, lostPerThousandDoubles: Estimate(2, in: 0.5...6),
          missed: Estimate(0.8, in: 0.6...0.9)),
        Diagnosis.TradeOff(
          threshold: 50, lostPerThousandDoubles: Estimate(90, in: 40...140),
          missed: Estimate(0.4, in: 0.2...0.6)),
      ])
  }

  static var healthy: Diagnosis { diagnosis(30, .healthy(upperBound: 0.012), of: 250) }
  static var unknown: Diagnosis { diagnosis(31, .tooFewData(strokesNeeded: 48), of: 11) }

  static func result(_ diagnoses: [Diagnosis] = [chattering, overlapping, healthy, unknown])
    -> CalibrationResult
  {
    var result = CalibrationResult(device: device, method: .guided, diagnoses: diagnoses)
    result.day = "2026-03-14"
    result.poll = 1
    return result
  }
}
