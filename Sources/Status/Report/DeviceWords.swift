import Terminal

extension DeviceStatus.State {
  /// What the daemon is doing with the device, in words.
  public var inWords: String {
    switch self {
    case .starting: "getting ready; the device itself works meanwhile"
    case .waiting: "waiting until no key is down; the device itself works meanwhile"
    case .busy: "another program has grabbed it; trying again"
    case .debounced: "debounced"
    case .lent: "lent to keydebounce monitor, record or calibrate"
    case .leaving: "being given back"
    }
  }

  /// How the words are written.
  public var styles: [Style] {
    switch self {
    case .debounced: [.green]
    case .busy: [.red]
    case .starting, .waiting, .lent, .leaving: [.yellow]
    }
  }
}

extension DeviceStatus {
  /// That a machine types on a device.
  public static let machineInWords =
    "types like a machine: a scanner, a macro or an expander of text"
}

/// How long frames took through the daemon, as precisely as the classes of its histogram allow.
struct LatencyQuantiles {
  /// How long half of the frames took at most, such as “under 0.26 ms”.
  let median: String
  /// How long 99 of 100 took at most.
  let high: String

  /// - Parameter classes: As in ``DeviceStatus/latency``.
  /// - Returns: `nil` if nothing was measured yet.
  init?(_ classes: [UInt64]) {
    let total = classes.reduce(0.0) { $0 + Double($1) }
    guard total > 0 else { return nil }
    func bound(_ share: Double) -> String {
      var below = 0.0
      for (index, count) in classes.enumerated() {
        below += Double(count)
        guard below >= share * total else { continue }
        return index < classes.count - 1
          ? "under \(Self.milliseconds(powerOfTwo: index))"
          : "over \(Self.milliseconds(powerOfTwo: index - 1))"
      }
      return "unknown"
    }
    median = bound(0.5)
    high = bound(0.99)
  }

  /// 2ⁿ µs, rounded up to two digits.
  private static func milliseconds(powerOfTwo exponent: Int) -> String {
    let microseconds = exponent < 0 ? 0 : 1 << min(exponent, 60)
    switch microseconds {
    case ..<100: return "0.0\(microseconds < 10 ? "0" : "")\(microseconds) ms"
    case ..<1000: return "0.\((microseconds + 9) / 10) ms"
    case ..<10_000:
      let tenths = (microseconds + 99) / 100
      return "\(tenths / 10).\(tenths % 10) ms"
    default: return "\(((microseconds + 999) / 1000).grouped) ms"
    }
  }
}
