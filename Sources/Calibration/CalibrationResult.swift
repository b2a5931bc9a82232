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

    /// How it was measured, for people and for programs.
    var shown: (words: String, code: String) {
      switch self {
      case .guided: ("a guided calibration (typing, single taps, long holds, doubles)", "guided")
      case .passive: ("listening to ordinary work", "passive")
      case .recording(let file): ("the recording \(file.printable)", "recording")
      case .counts: ("what the service has counted", "counts")
      }
    }
  }

  public var device: DeviceDescription
  public var method: Method
  /// What was found out about each key, the worst first.
  public var keys: [KeyFinding]
  /// The settings in force.
  public var inForce: InForce
  /// The day where the person is, as 2026-11-21.
  public var day = CalibrationResult.today

  init(
    device: DeviceDescription, method: Method, keys: [KeyFinding], inForce: InForce = InForce()
  ) {
    (self.device, self.method, self.inForce) = (device, method, inForce)
    self.keys = keys.filter { $0.strokes > 0 || $0.verdict == .driven }
  }

  /// What a tape shows.
  ///
  /// - Parameter inForce: The settings that hold for the device.
  public init(of tape: Tape, device: DeviceDescription, method: Method, inForce: InForce) {
    self.init(
      device: device, method: method, keys: Findings(of: tape, inForce: inForce).keys,
      inForce: inForce)
  }

  /// What the service's counts show.
  ///
  /// - Parameter isDriven: Whether a machine types on the device.
  public init(
    of counts: [KeyCode: KeyCounts], isDriven: Bool, device: DeviceDescription, inForce: InForce
  ) {
    self.init(
      device: device, method: .counts,
      keys: Findings.ofCounts(counts, inForce: inForce, isDriven: isDriven), inForce: inForce)
  }

  /// What stands on keys in the system's layout, where their names do not say that: shown beside the names.
  public var labels: [KeyCode: String] = [:] {
    didSet {
      for index in keys.indices { keys[index].label = labels[keys[index].key] }
    }
  }

  private static var today: String {
    var (now, date) = (time(nil), tm())
    localtime_r(&now, &date)
    return Day(unixTime: now + date.tm_gmtoff).rawValue
  }

  var strokes: Int { keys.reduce(0) { $0 + $1.strokes } }

  var worn: [KeyFinding] { keys.filter(\.isWorn) }

  /// The keys of which more is said than a line in a table.
  var explained: [KeyFinding] {
    keys.filter { $0.isWorn || $0.line != nil || $0.verdict == .twice }
  }

  /// The strategy that is in force on most keys.
  var strategy: Strategy { inForce.rules.strategy }

  /// The setting of a key that is in force, as a sentence names it.
  func setting(of key: KeyCode) -> String {
    let isDefault = strategy == Rules().strategy && inForce.rules.keys[key] == nil
    return isDefault ? "the default" : "the present setting"
  }
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

    init(_ rate: FaultRate, between interval: ClosedRange<Double>? = nil) {
      let interval = interval ?? rate.interval
      (count, of) = (rate.faults, rate.strokes)
      (low, high) = (interval.lowerBound, interval.upperBound)
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

    init(_ line: KeyLine) {
      text = line.candidate.text
      (throughNow, through) = (Rate(line.before), Rate(line.after))
      (taken, takenDoubles) = (Rate(line.taken), Rate(line.takenDoubles))
      (pressDelay, releaseDelay) = (line.pressDelay, line.releaseDelay)
      confidence = line.confidence
    }
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

    init(_ finding: KeyFinding) {
      (key, code, verdict) = (finding.name, finding.key, finding.verdict.shown.code)
      (certainty, strokes) = (finding.certainty, finding.strokes)
      pressBounces = finding.faults[.pressBounce] ?? 0
      releaseBounces = finding.faults[.releaseBounce] ?? 0
      dropOuts = finding.faults[.dropOut] ?? 0
      rate = Rate(finding.rate, between: finding.rateInterval)
      isAsked = finding.isAsked
      if case .undecided(let needed) = finding.verdict { strokesNeeded = needed }
      if case .undecided(let needed) = finding.advice { strokesNeeded = needed }
      faultGaps = Percentiles.of(finding.faultGaps)
      fingerGaps = Percentiles.of(finding.fingerGaps)
      (through, taken) = (Rate(finding.comesThrough), Rate(finding.taken))
      line = finding.line.map { Line($0) }
      cleanOrReplace = finding.isBeyondSettings
    }
  }

  struct File: Encodable {
    var path: String
    var text: String
    /// Keys that a file of the person's own names.
    var yoursStand: [String]
  }

  var version = Version.current
  var device: Device
  var method: String
  var day: String
  var strategy: String
  var strokes: Int
  var keys: [Key]
  var file: File?

  public init(_ result: CalibrationResult, _ file: CalibratedFile? = nil) {
    device = Device(
      name: result.device.name.printable, vendor: result.device.vendor,
      product: result.device.product, uniq: result.device.uniq?.printable)
    method = result.method.shown.code
    day = result.day
    strategy = result.strategy.name
    strokes = result.strokes
    keys = result.keys.map(Key.init)
    if let file, let text = file.text {
      self.file = File(
        path: file.path, text: text, yoursStand: file.yoursStand.map { KeyNames.name(of: $0) })
    }
  }

  public var text: String {
    get throws {
      String(decoding: try StatusJSON.encode(self, isPretty: true), as: UTF8.self) + "\n"
    }
  }
}
