import Configuration
import Debounce
import Glibc
import Status
import Terminal

/// The result of a calibration, from which the report, the JSON and the device file are made.
public struct CalibrationResult {
  public enum Method: Equatable, Sendable {
    case guided
    case passive
    case recording(String)

    /// How it was measured, for people and for programs.
    package var shown: (words: String, code: String) {
      switch self {
      case .guided: ("a guided calibration (typing, single taps, long holds, doubles)", "guided")
      case .passive: ("listening to ordinary work", "passive")
      case .recording(let file): ("the recording \(file.printable)", "recording")
      }
    }
  }

  public var device: DeviceDescription
  public var method: Method
  /// The findings about each key, the worst first.
  public var keys: [KeyFinding]
  public var inForce: InForce
  /// The date of the person's time zone, such as 2026-11-21.
  public var day = CalibrationResult.today

  init(
    device: DeviceDescription, method: Method, keys: [KeyFinding], inForce: InForce = InForce()
  ) {
    (self.device, self.method, self.inForce) = (device, method, inForce)
    self.keys = keys.filter { $0.strokes > 0 || $0.verdict == .driven }
  }

  /// The result of a measurement.
  public init(of tape: Tape, device: DeviceDescription, method: Method, inForce: InForce) {
    self.init(
      device: device, method: method, keys: Findings(of: tape, inForce: inForce).keys,
      inForce: inForce)
  }

  /// The labels of keys in the system's layout where they differ from the names. They are shown beside the names.
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

  package var strokes: Int { keys.reduce(0) { $0 + $1.strokes } }

  package var worn: [KeyFinding] { keys.filter(\.isWorn) }

  /// The strategy that is in force on most keys.
  package var strategy: Strategy { inForce.rules.strategy }

  /// The setting of a key that is in force, as a sentence names it.
  func setting(of key: KeyCode) -> String {
    let isDefault = strategy == Rules().strategy && inForce.rules.keys[key] == nil
    return isDefault ? "the default" : "the present setting"
  }
}

// MARK: - For programs

extension KeyFinding: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var json = encoder.container(keyedBy: FieldName.self)
    try json.encode(name, forKey: "key")
    try json.encode(key, forKey: "code")
    try json.encode(verdict.shown.code, forKey: "verdict")
    try json.encode(certainty, forKey: "certainty")
    try json.encode(strokes, forKey: "strokes")
    try json.encode(faults[.pressBounce] ?? 0, forKey: "press_bounces")
    try json.encode(faults[.releaseBounce] ?? 0, forKey: "release_bounces")
    try json.encode(faults[.dropOut] ?? 0, forKey: "drop_outs")
    try rate.encode(to: json.superEncoder(forKey: "rate"), between: rateInterval)
    // True if the rate is that of taps and holds that were asked for. A rate of typing is a lower bound.
    try json.encode(isAsked, forKey: "is_asked")
    if case .undecided(let strokes) = verdict { try json.encode(strokes, forKey: "strokes_needed") }
    if let strokesToDecide { try json.encode(strokesToDecide, forKey: "strokes_needed") }
    // Five numbers each: the percentiles 1, 5, 50, 95 and 99.
    try json.encodeIfPresent(faultGaps.percentiles, forKey: "fault_gaps")
    try json.encodeIfPresent(fingerGaps.percentiles, forKey: "finger_gaps")
    try json.encode(comesThrough, forKey: "through")
    try json.encode(lostPresses, forKey: "taken")
    try json.encodeIfPresent(line, forKey: "line")
    try json.encode(isBeyondSettings, forKey: "clean_or_replace")
  }
}

extension KeyLine: Encodable {
  package func encode(to encoder: any Encoder) throws {
    var json = encoder.container(keyedBy: FieldName.self)
    // No text means that the present line is to be deleted.
    try json.encodeIfPresent(candidate.text, forKey: "text")
    try json.encode(before, forKey: "through_now")
    try json.encode(after, forKey: "through")
    try json.encode(lostPresses, forKey: "taken")
    try json.encode(lostDoubles, forKey: "taken_doubles")
    try json.encode(pressDelay, forKey: "press_delay")
    try json.encode(releaseDelay, forKey: "release_delay")
    try json.encode(confidence, forKey: "confidence")
  }
}

/// A count, the number it is a part of, and the bounds of the share with 95 % confidence.
extension FaultRate: Encodable {
  public func encode(to encoder: any Encoder) throws { try encode(to: encoder, between: interval) }

  fileprivate func encode(to encoder: any Encoder, between interval: ClosedRange<Double>) throws {
    var json = encoder.container(keyedBy: FieldName.self)
    try json.encode(faults, forKey: "count")
    try json.encode(strokes, forKey: "of")
    try json.encode(interval.lowerBound, forKey: "low")
    try json.encode(interval.upperBound, forKey: "high")
  }
}
