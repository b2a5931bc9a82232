import Configuration
import Debounce
import EventDevices
import Glibc
import Status
import Terminal

/// The result of a calibration, from which the report, the JSON and the device file are made.
public struct CalibrationResult {
  /// Where the evidence comes from.
  public enum Method: Equatable, Sendable {
    case guided
    case passive
    case recording(String)
    case counts
  }

  public var device: DeviceDescription
  public var method: Method
  /// What was found out about each key, the worst first.
  public var keys: [KeyFinding]
  /// The strategy that is in force on most keys.
  public var strategy: Strategy = Rules().strategy
  /// The day, as 2026-11-21.
  public var day = today()

  public init(device: DeviceDescription, method: Method, keys: [KeyFinding]) {
    self.device = device
    self.method = method
    self.keys = keys.filter { $0.strokes > 0 || $0.verdict == .driven }
  }

  /// What stands on keys in the system's layout, where their names do not say that: shown beside the names.
  public var labels: [KeyCode: String] = [:] {
    didSet {
      for index in keys.indices { keys[index].label = labels[keys[index].key] }
    }
  }

  public var strokes: Int { keys.reduce(0) { $0 + $1.strokes } }

  public var worn: [KeyFinding] { keys.filter(\.isWorn) }

  /// The settings in force, as a sentence names them.
  var settings: String { strategy == Rules().strategy ? "the default" : "the present setting" }
}

private func today() -> String {
  var now = time(nil)
  var parts = tm()
  localtime_r(&now, &parts)
  return [(Int(parts.tm_year) + 1900, 4), (Int(parts.tm_mon) + 1, 2), (Int(parts.tm_mday), 2)]
    .map { number, digits in
      String(repeating: "0", count: max(0, digits - String(number).count)) + String(number)
    }.joined(separator: "-")
}

/// The result of a calibration as JSON. Times are in milliseconds, shares from 0 to 1, names in snake case.
public struct CalibrationJSON: Encodable {
  struct Device: Encodable {
    var name: String
    var vendor: UInt16
    var product: UInt16
    var uniq: String?
  }

  /// So many of so many, and the interval of the share with 95 % confidence.
  struct Rate: Encodable {
    var count: Int
    var of: Int
    var low: Double
    var high: Double

    init(_ rate: FaultRate) {
      (count, of) = (rate.faults, rate.strokes)
      (low, high) = (rate.interval.lowerBound, rate.interval.upperBound)
    }
  }

  struct Line: Encodable {
    /// `nil`: a line is to be deleted.
    var text: String?
    var throughNow: Rate
    var through: Rate
    var taken: Rate
    var takenDoubles: Rate
    var pressDelay: Double
    var releaseDelay: Double
    var confidence: Double
  }

  struct Key: Encodable {
    var key: String
    var code: UInt16
    var verdict: String
    var certainty: Double
    var strokes: Int
    var pressBounces: Int
    var releaseBounces: Int
    var dropOuts: Int
    var rate: Rate
    /// Whether the rate is that of taps and holds that were asked for; else it is a lower bound.
    var isAsked: Bool
    var strokesNeeded: Int?
    /// At 1, 5, 50, 95 and 99 %.
    var faultGaps: [Double]?
    var fingerGaps: [Double]?
    var through: Rate
    var taken: Rate
    var line: Line?
    var cleanOrReplace: Bool
  }

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
  var strategy: String
  var strokes: Int
  var keys: [Key]
  var file: File?

  public init(_ result: CalibrationResult, file: File? = nil) {
    device = Device(
      name: result.device.name.printable, vendor: result.device.vendor,
      product: result.device.product, uniq: result.device.uniq?.printable)
    method = result.method.code
    day = result.day
    strategy = result.strategy.name
    strokes = result.strokes
    keys = result.keys.map(Key.init)
    self.file = file
  }

  public var text: String {
    get throws {
      String(decoding: try StatusJSON.encode(self, isPretty: true), as: UTF8.self) + "\n"
    }
  }
}

extension CalibrationJSON.Key {
  fileprivate init(_ finding: KeyFinding) {
    key = finding.name
    code = finding.key
    verdict = finding.verdict.code
    certainty = finding.certainty
    strokes = finding.strokes
    pressBounces = finding.faults[.pressBounce] ?? 0
    releaseBounces = finding.faults[.releaseBounce] ?? 0
    dropOuts = finding.faults[.dropOut] ?? 0
    rate = .init(finding.rate)
    isAsked = finding.isAsked
    if case .undecided(let needed) = finding.verdict { strokesNeeded = needed }
    if case .undecided(let needed) = finding.advice { strokesNeeded = needed }
    faultGaps = Percentiles.of(finding.faultGaps)
    fingerGaps = Percentiles.of(finding.fingerGaps)
    through = .init(finding.comesThrough)
    taken = .init(finding.taken)
    line = finding.line.map { line in
      .init(
        text: line.candidate.text, throughNow: .init(line.before), through: .init(line.after),
        taken: .init(line.taken), takenDoubles: .init(line.takenDoubles),
        pressDelay: line.pressDelay, releaseDelay: line.releaseDelay, confidence: line.confidence)
    }
    cleanOrReplace = finding.isBeyondSettings
  }
}
