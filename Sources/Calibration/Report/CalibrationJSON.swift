import Configuration
import Devices
import Status
import TerminalText

/// The result of a calibration as JSON. Times are in milliseconds, shares from 0 to 1, names in snake case.
public struct CalibrationJSON: Encodable {
  struct Device: Encodable {
    var name: String
    var vendor: UInt16
    var product: UInt16
    var uniq: String?
  }

  struct Number: Encodable {
    var value: Double
    var low: Double
    var high: Double

    init(_ estimate: Estimate) {
      (value, low, high) = (
        estimate.value, estimate.interval.lowerBound, estimate.interval.upperBound
      )
    }

    init(_ rate: FaultRate) {
      (value, low, high) = (rate.share, rate.interval.lowerBound, rate.interval.upperBound)
    }
  }

  struct Quantiles: Encodable {
    var p1: Double
    var p5: Double
    var p50: Double
    var p95: Double
    var p99: Double

    init(_ percentiles: Percentiles) {
      (p1, p5, p50) = (percentiles.p1, percentiles.p5, percentiles.p50)
      (p95, p99) = (percentiles.p95, percentiles.p99)
    }
  }

  struct Setting: Encodable {
    var line: String
    var threshold: Double
    var lostPerThousand: Number
    var lostPerThousandDoubles: Number
    var missed: Number
    var pressLatency: Double
    var releaseLatency: Double
  }

  struct TradeOff: Encodable {
    var threshold: Double
    var missed: Number
    var lostPerThousandDoubles: Number
  }

  struct Key: Encodable {
    var key: String
    var code: UInt16
    var finding: String
    var certainty: Double
    var strokes: Int
    var pressBounces: Int
    var releaseBounces: Int
    var dropOuts: Int
    var rate: Number
    /// Whether the rate is that of taps and holds that were asked for; else it is a lower bound.
    var isRateLabelled: Bool
    var healthyBelow: Double?
    var strokesNeeded: Int?
    var fingerGaps: Quantiles?
    var faultGaps: Quantiles?
    var holds: Quantiles?
    var humanBand: [Double]
    /// Counts by milliseconds, without the zeros at the end.
    var fingerGapCounts: [UInt32]
    var faultGapCounts: [UInt32]
    var setting: Setting?
    var tradeOff: [TradeOff]
  }

  /// The proposed device file.
  public struct File: Encodable {
    var path: String
    var text: String
    /// Keys that a file of the person's own names.
    var yoursStand: [String]

    public init(path: String, text: String, yoursStand: [String]) {
      self.path = path
      self.text = text
      self.yoursStand = yoursStand
    }
  }

  var version = Version.current
  var device: Device
  var method: String
  var day: String
  var poll: Int?
  var isBursty: Bool
  var typesLikeAMachine: Bool
  var strokes: Int
  var keys: [Key]
  var file: File?

  public init(_ result: CalibrationResult, file: File? = nil) {
    device = Device(
      name: result.device.name.printable, vendor: result.device.vendor,
      product: result.device.product, uniq: result.device.uniq?.printable)
    method = result.method.code
    day = result.day
    poll = result.poll
    isBursty = result.isBursty
    typesLikeAMachine = result.typesLikeAMachine
    strokes = result.strokes
    keys = result.diagnoses.map(Key.init)
    self.file = file
  }

  /// The text, with its end.
  public var text: String {
    get throws {
      String(decoding: try StatusJSON.encode(self, isPretty: true), as: UTF8.self) + "\n"
    }
  }
}

extension CalibrationJSON.Key {
  fileprivate init(_ diagnosis: Diagnosis) {
    key = diagnosis.name
    code = diagnosis.key
    finding = diagnosis.finding.code
    certainty = diagnosis.certainty
    strokes = diagnosis.strokes
    pressBounces = diagnosis.faults.pressBounces
    releaseBounces = diagnosis.faults.releaseBounces
    dropOuts = diagnosis.faults.dropOuts
    rate = CalibrationJSON.Number(diagnosis.rate)
    isRateLabelled = diagnosis.isRateLabelled
    if case .healthy(let bound) = diagnosis.finding { healthyBelow = bound }
    if case .tooFewData(let needed) = diagnosis.finding { strokesNeeded = needed }
    fingerGaps = diagnosis.gaps.map(CalibrationJSON.Quantiles.init)
    faultGaps = diagnosis.faultGaps.map(CalibrationJSON.Quantiles.init)
    holds = diagnosis.holds.map(CalibrationJSON.Quantiles.init)
    humanBand = [diagnosis.humanBand.lowerBound, diagnosis.humanBand.upperBound]
    fingerGapCounts = diagnosis.fingerGapHistogram.shortForm
    faultGapCounts = diagnosis.faultGapHistogram.shortForm
    setting = diagnosis.proposal.map { proposal in
      CalibrationJSON.Setting(
        line: proposal.setting.text, threshold: proposal.setting.threshold,
        lostPerThousand: CalibrationJSON.Number(proposal.lostPerThousand),
        lostPerThousandDoubles: CalibrationJSON.Number(proposal.lostPerThousandDoubles),
        missed: CalibrationJSON.Number(proposal.missed), pressLatency: proposal.pressLatency,
        releaseLatency: proposal.releaseLatency)
    }
    tradeOff = diagnosis.tradeOff.map {
      CalibrationJSON.TradeOff(
        threshold: $0.threshold, missed: CalibrationJSON.Number($0.missed),
        lostPerThousandDoubles: CalibrationJSON.Number($0.lostPerThousandDoubles))
    }
  }
}

extension FineHistogram {
  fileprivate var shortForm: [UInt32] {
    Array(bins.prefix((bins.lastIndex { $0 != 0 } ?? -1) + 1))
  }
}
