import Configuration
import Debounce
import EventDevices
import Reports
import Status
import Terminal

/// The devices of which the service has counted strokes and chatter.
public enum DevicesWithCounts {
  /// The devices in what `keydebounce status --json` has written, or in a file in which the service stores counts.
  ///
  /// - Throws: ``CountsError`` if the text is neither.
  public static func all(
    in bytes: [UInt8], of file: String
  ) throws(CountsError) -> [DeviceStatus] {
    if let status = try? StatusJSON.decode(DaemonStatus.self, from: bytes) { return status.devices }
    guard let stored = try? StatusJSON.decode(StoredCounts.self, from: bytes) else {
      throw CountsError(
        "\(file.printable) is neither what “keydebounce status --json” writes nor a file of stored counts"
      )
    }
    return [
      DeviceStatus(
        node: "", device: stored.device, state: .leaving, file: nil, strategy: "", ownKeys: 0,
        counts: DeviceCounts(keys: stored.keys))
    ]
  }

  /// - Parameters:
  ///   - name: Its node, or a part of its name; `nil` for the only one.
  ///   - path: The path that the name leads to through links, if it is a path.
  public static func named(
    _ name: String?, leadingTo path: String?, among devices: [DeviceStatus]
  ) throws(CountsError) -> DeviceStatus {
    let meant = devices.filter { device in
      guard let name else { return true }
      return device.node == name || device.node == "/dev/input/\(name)" || device.node == path
        || device.device.name.lowercased().contains(name.lowercased())
    }
    guard let device = meant.first else {
      throw CountsError(
        name.map {
          "nothing was counted of a device that is called or named “\($0.printable)”; “keydebounce status” shows those"
        }
          ?? "the service debounces no device; “keydebounce list” shows what is done with each, and why"
      )
    }
    // A keyboard is often several devices, of which one has the keys.
    let pressed = meant.filter { $0.keys.contains { $0.counts.strokes > 0 } }
    if pressed.count == 1 { return pressed[0] }
    guard meant.count == 1 else {
      throw CountsError(
        "several devices were counted; name one:"
          + meant.map { "\n  \("\($0.device.name) (\($0.node))".printable)" }.joined())
    }
    return device
  }
}

extension Findings {
  /// Which switches are worn by the service's counts. Counts do not tell what a setting would do.
  static func ofCounts(
    _ counts: [KeyCode: KeyCounts], inForce: InForce = InForce(), isDriven: Bool = false
  ) -> [KeyFinding] {
    counts.map { key, counts in
      // The strokes of a machine tell nothing of switches.
      let wear = isDriven ? SwitchWear() : SwitchWear(of: counts)
      let rate = FaultRate(
        faults: Int(clamping: counts.chatter.total), strokes: Int(counts.strokes))
      var finding = KeyFinding(
        key, wear, rate,
        faults: Dictionary(
          uniqueKeysWithValues: Chatter.allCases.map { ($0, Int(counts.chatter[$0])) }
            .filter { $0.1 > 0 }),
        faultGaps: counts.removedGaps.spread, fingerGaps: counts.gaps.spread)
      if isDriven { finding.verdict = .driven }
      if wear.isCertain { finding.advice = advice(on: key, counts, inForce) }
      return finding
    }.sorted { $0.isWorse(than: $1) }
  }

  /// Advice to name the key with the packaged threshold, or with a longer one if wider gaps were removed. A setting that
  /// may do as much already stays.
  private static func advice(
    on key: KeyCode, _ counts: KeyCounts, _ inForce: InForce
  ) -> KeyFinding.Advice {
    guard !inForce.isOwn(key) else { return .own }
    let wide = counts.removedGaps.spread.percentiles?[3] ?? 0
    let thresholds = [Int(Strategy.packagedThreshold.milliseconds), 40, 60]
    let threshold = thresholds.first { Double($0) >= wide } ?? 60
    let strategy = inForce.rules.strategy(of: key)
    if let remedy = inForce.remedy {
      return .stays("keydebounce leaves this device alone: \(remedy).")
    }
    if let chatter = strategy.kind.letsThrough {
      return .stays("“\(strategy.name)” lets \(chatter) through.")
    }
    if strategy.isNamed { return .stays("The key is named already.") }
    guard inForce.rules.keys[key] == nil, case .adaptive(let rule) = strategy,
      rule.threshold.milliseconds <= Double(threshold)
    else { return .stays("“\(strategy.name)”, as it is set, may do as much as to name the key.") }
    return .name(Candidate(.adaptive, threshold, [:], beside: inForce.outer))
  }
}

extension IntervalHistogram {
  /// The intervals in milliseconds and in order, spread evenly within each class. One stands for several where there are
  /// more than a few thousand.
  fileprivate var spread: [Double] {
    let each = max(1, Double(total) / 4000)
    return zip(values, Self.bounds).enumerated().flatMap { index, pair -> [Double] in
      let low = index == 0 ? 0 : Self.bounds[index - 1].milliseconds
      let count = Int((Double(pair.0) / each).rounded(.up))
      let width = pair.1.milliseconds - low
      return (0..<count).map { low + width * (Double($0) + 0.5) / Double(count) }
    }
  }
}

/// Why counts cannot be read, or which device's counts are meant.
public struct CountsError: Error, CustomStringConvertible {
  public let description: String

  fileprivate init(_ description: String) { self.description = description }
}
