import Configuration
import Debounce
import EventDevices
import Glibc

/// The result of a calibration, from which the report, the JSON and the device file are made.
public struct CalibrationResult {
  /// Where the evidence comes from.
  public enum Method: Equatable, Sendable {
    /// A guided measurement.
    case guided
    /// The person's ordinary work.
    case passive
    /// A recording of ordinary work.
    case recording(String)
    /// What the service has counted.
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

  /// All strokes of all keys.
  public var strokes: Int { keys.reduce(0) { $0 + $1.strokes } }

  /// The keys whose switches are worn.
  public var worn: [KeyFinding] { keys.filter(\.isWorn) }

  /// The settings in force, as a sentence names them.
  var settings: String { strategy == Rules().strategy ? "the default" : "the present setting" }
}

/// The date in local time.
private func today() -> String {
  var now = time(nil)
  var parts = tm()
  localtime_r(&now, &parts)
  return [(Int(parts.tm_year) + 1900, 4), (Int(parts.tm_mon) + 1, 2), (Int(parts.tm_mday), 2)]
    .map { number, digits in
      String(repeating: "0", count: max(0, digits - String(number).count)) + String(number)
    }.joined(separator: "-")
}
