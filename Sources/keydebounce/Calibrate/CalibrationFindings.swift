import Calibration
import Devices

/// What a calibration has found, and what may be done with it.
struct CalibrationFindings {
  let result: CalibrationResult
  /// Whether there may be a person to ask.
  var mayAsk = true
  /// Where the measurement is kept; `nil` where it can be had again without anybody's doing.
  var kept: StoredSession?

  init(_ result: CalibrationResult) {
    self.result = result
  }
}
