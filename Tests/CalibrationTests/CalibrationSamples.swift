import Configuration
import Debounce
import DeviceFiles
import EventDevices
import Terminal

@testable import Calibration

/// Findings as a calibration comes to them, made up so that texts can be compared.
enum CalibrationSamples {
  static let device = DeviceDescription(
    DeviceIdentity(
      name: "Desk \"Pro\" Keyboard", vendor: 0x3434, product: 0x0120, version: 1,
      uniq: "aa:bb:01"))

  private static func finding(
    _ key: KeyCode, _ verdict: KeyFinding.Verdict, faults: [Chatter: Int] = [:],
    of strokes: Int, gaps: [Int] = [], through: Int = 0, advice: KeyFinding.Advice = .nothing
  ) -> KeyFinding {
    let total = faults.values.reduce(0, +)
    var finding = KeyFinding(
      key: key, verdict: verdict, strokes: strokes, faults: faults,
      rate: FaultRate(faults: total, strokes: strokes), isAsked: true,
      certainty: total > 0 ? 1 : 0)
    finding.advice = advice
    finding.faultGaps = gaps.map(Double.init)
    finding.fingerGaps = (60..<120).map(Double.init)
    finding.comesThrough = FaultRate(faults: through, strokes: total)
    finding.lostPresses = FaultRate(faults: 0, strokes: strokes)
    return finding
  }

  /// `KEY_E` is worn, and the default removes all of it.
  static var cured: KeyFinding {
    finding(
      18, .worn, faults: [.pressBounce: 9, .releaseBounce: 2, .dropOut: 1], of: 160,
      gaps: [3, 4, 4, 5, 5, 5, 6, 6, 7, 8, 9, 14])
  }

  /// `KEY_SPACE` needs a line, and even so lets something through.
  static var helped: KeyFinding {
    finding(
      57, .worn, faults: [.dropOut: 14], of: 90, gaps: Array(stride(from: 20, to: 90, by: 5)),
      through: 12, advice: .line(line(Candidate.all(beside: Rules().strategy)[4])))
  }

  static func line(_ candidate: Candidate) -> KeyLine {
    KeyLine(
      candidate: candidate,
      before: FaultRate(faults: 12, strokes: 14), after: FaultRate(faults: 4, strokes: 14),
      lostPresses: FaultRate(faults: 1, strokes: 511),
      lostDoubles: FaultRate(faults: 1, strokes: 40),
      pressDelay: 0, releaseDelay: 31.4, confidence: 0.996, isPooled: false)
  }

  static var healthy: KeyFinding { finding(30, .healthy(below: 0.012), of: 250) }
  static var unknown: KeyFinding { finding(31, .undecided(strokes: 48), of: 11) }

  static func result(_ keys: [KeyFinding] = [cured, helped, healthy, unknown])
    -> CalibrationResult
  {
    var result = CalibrationResult(device: device, method: .guided, keys: keys)
    result.day = "2026-03-14"
    return result
  }
}

extension CalibrationResult {
  /// What a person reads of it.
  func text(on columns: Int) -> String {
    CalibrationText(of: self, on: Sheet(columns: columns)).text
  }
}

extension DeviceFilePlan {
  /// What is to be written, if anything is.
  var changeToMake: DeviceFileChange? {
    if case .change(let change) = self { change } else { nil }
  }
}
