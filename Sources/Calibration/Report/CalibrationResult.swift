import Configuration
import Debounce
import Devices
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
  /// The diagnoses, the worst first.
  public var diagnoses: [Diagnosis]
  /// The poll interval of the device, in milliseconds; `nil` if it is not known.
  public var poll: Int?
  /// How long was typed freely, in microseconds; 0 if it is not known.
  public var typingTime: Microseconds = 0
  /// Whether the link delivers several events at once.
  public var isBursty = false
  /// Whether a machine types on the device: a scanner, a macro.
  public var typesLikeAMachine = false
  /// The day, as 2026-11-21.
  public var day = today()

  public init(device: DeviceDescription, method: Method, diagnoses: [Diagnosis]) {
    self.device = device
    self.method = method
    self.diagnoses = diagnoses.filter { $0.strokes > 0 }
  }

  public init(device: DeviceDescription, method: Method, of observer: Observer) {
    self.init(device: device, method: method, diagnoses: Analysis(observer).diagnoses)
    poll = observer.link.poll
    typingTime = observer.typingTime
    isBursty = observer.link.isBursty
    typesLikeAMachine = observer.machine.hasSeenMachine
  }

  /// What stands on keys in the system's layout, where their names do not say that: shown beside the names.
  public var labels: [KeyCode: String] = [:] {
    didSet {
      for index in diagnoses.indices { diagnoses[index].label = labels[diagnoses[index].key] }
    }
  }

  /// All strokes of all keys.
  public var strokes: Int { diagnoses.reduce(0) { $0 + $1.strokes } }

  /// How many strokes of a key it takes to find nine of ten switches of which 2 % of the strokes are faulty: in typing about
  /// two thirds of the faults are unmistakable, and three of them are proof.
  static let enoughStrokes = 400

  /// How many more minutes of such typing would give each key that has not shown to be bad ``enoughStrokes``, the fewest
  /// first; `nil` where no time is known, or no key needs more.
  var minutesMissing: [(name: String, minutes: Int)]? {
    guard typingTime > 0 else { return nil }
    let keys = diagnoses.filter { !$0.isFaulty && $0.strokes < Self.enoughStrokes }.map { key in
      let pace = Double(key.strokes) / (Double(typingTime) / 60_000_000)
      return (
        name: key.title,
        minutes: Int((Double(Self.enoughStrokes - key.strokes) / pace).rounded(.up))
      )
    }
    return keys.isEmpty ? nil : keys.sorted { ($0.minutes, $0.name) < ($1.minutes, $1.name) }
  }

  /// The keys whose switches are bad.
  public var faulty: [Diagnosis] { diagnoses.filter(\.isFaulty) }
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
