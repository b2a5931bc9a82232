import Calibration
import Devices
import KeyLabels
import TerminalText

/// What a calibration has found, and what may be done with it.
struct CalibrationFindings {
  private(set) var result: CalibrationResult
  /// Whether there may be a person to ask.
  var mayAsk = true
  /// Where the measurement is kept; `nil` where it can be had again without anybody's doing.
  var kept: StoredSession?

  init(_ result: CalibrationResult) {
    self.result = result
    // A recording may be of another system.
    if case .recording = result.method { return }
    self.result.labels = LayoutLabels.ofSystem(in: .ofLocale)
  }
}
