import Debounce
import EventDevices
import Files
import Terminal

/// The text forms in which collectors read counters.
public enum MetricsForm: Sendable {
  /// OpenMetrics 1.0.
  case openMetrics
  /// The older one of Prometheus, which node_exporter reads from files: of the other it would see neither the types of
  /// counters nor histograms without a count.
  case prometheus
}

/// What `status --openmetrics` and `--prometheus` write: one family after the other, each with all devices.
public struct StatusMetrics {
  private let status: DaemonStatus
  private let hasKeys: Bool
  private let form: MetricsForm
  /// Each device, with what distinguishes it from the others.
  private let devices: [(status: DeviceStatus, labels: OpenMetrics.Labels)]

  public init(of status: DaemonStatus, as form: MetricsForm, hasKeys: Bool) {
    (self.status, self.form, self.hasKeys) = (status, form, hasKeys)
    var known: [String: Int] = [:]
    devices = status.devices.map { device in
      let (vendor, product) = (device.vendor.hexadecimal(), device.product.hexadecimal())
      // Names come from hardware.
      let name = device.name.printable
      // Nodes are numbered anew at each boot: there, a device is what it is, and the second of a kind is that.
      let kind = "\(vendor):\(product) \(name)"
      let ordinal = known[kind, default: 0] + 1
      known[kind] = ordinal
      let stable = ordinal == 1 ? kind : "\(kind) #\(ordinal)"
      return (
        device,
        [
          ("device", form == .openMetrics ? device.node.printable : stable), ("name", name),
          ("vendor", vendor), ("product", product),
        ]
      )
    }
  }

  public var text: String {
    var metrics = OpenMetrics(as: form)
    writeDaemon(to: &metrics)
    writeDevices(to: &metrics)
    writeCounts(to: &metrics)
    if hasKeys { writeKeys(to: &metrics) }
    return metrics.text
  }
}

// MARK: - Families

extension StatusMetrics {
  private func writeDaemon(to metrics: inout OpenMetrics) {
    let configuration = status.configuration
    metrics.family(
      "info", .gauge, "The running daemon.", [([("version", status.version.printable)], 1)])
    metrics.family(
      "uptime_seconds", .gauge, unit: "seconds", "For how long the daemon has been running.",
      [([], status.uptime)])
    if let countedAt = status.countedAt {
      metrics.family(
        "counted_timestamp_seconds", .gauge, unit: "seconds",
        "When the counters of devices were as they are here: for others than root, at the last whole minute.",
        [([], countedAt)])
    }
    metrics.family(
      "configuration_device_files", .gauge, "Device files in use.",
      [([], configuration.deviceFiles)])
    metrics.family(
      "configuration_problems", .gauge,
      "Errors in the files as last read; while there are any, older settings hold.",
      [([], configuration.problems.count)])
    metrics.family(
      "configuration_warnings", .gauge, "Warnings: what is legal in the files but unwise.",
      [([], configuration.warnings.count)])
    metrics.family(
      "configuration_reloads", .counter, "How often the files were reloaded.",
      [([], configuration.reloads)])
  }

  private func writeDevices(to metrics: inout OpenMetrics) {
    metrics.family(
      "device_info", .gauge, "A device that the daemon holds.",
      devices.map { device, labels in
        let file = (device.file ?? "").printable
        return (labels + [("strategy", device.strategy.printable), ("file", file)], 1)
      })
    metrics.family(
      "device_paused", .gauge, "Whether the device is paused.",
      devices.map { ($0.labels, $0.status.pause == nil ? 0 : 1) })
    metrics.family(
      "device_state", .gauge, "1 for what the daemon does with the device now.",
      devices.flatMap { device, labels in
        DeviceStatus.State.allCases.map { state in
          (labels + [("state", state.rawValue)], state == device.state ? 1 : 0)
        }
      })
  }

  /// What was counted of each device, if whoever asked may know.
  private func writeCounts(to metrics: inout OpenMetrics) {
    let counted = devices.compactMap { device, labels in
      device.counts.map { (labels: labels, counts: $0) }
    }
    guard counted.count == devices.count else { return }
    for family in Self.deviceCounters {
      metrics.family(
        family.name, .counter, family.help,
        counted.map { ($0.labels, $0.counts[keyPath: family.count]) })
    }
    metrics.family(
      "chatter", .counter, "Chatter removed.",
      counted.flatMap { Self.samples($0.labels, $0.counts.chatter) })
    metrics.family(
      "bad_keys", .gauge, "Bad keys: adaptive found them, or the settings name them.",
      counted.map { ($0.labels, $0.counts.badKeys) })
    metrics.histogram(
      "latency_seconds", unit: "seconds",
      "From the kernel's time stamp of a frame to its being written; of deferred frames, from their "
        + "deadline. Of motion alone, a sample.",
      counted.map { labels, counts in
        let bounds = counts.latency.indices.dropLast().map { Double(1 << min($0, 60)) / 1e6 }
        return (labels, counts.latency, bounds)
      })
  }

  private func writeKeys(to metrics: inout OpenMetrics) {
    let keys = devices.flatMap { device, labels in
      (device.keys ?? []).map { (labels: labels + [("key", $0.key.printable)], key: $0) }
    }
    for family in Self.keyCounters {
      metrics.family(
        "key_\(family.name)", .counter, family.help,
        keys.map { ($0.labels, $0.key[keyPath: family.count]) })
    }
    metrics.family(
      "key_chatter", .counter, "Chatter of the key removed.",
      keys.flatMap { Self.samples($0.labels, $0.key.chatter) })
    metrics.family(
      "key_bad", .gauge, "Whether the key is bad: adaptive found it, or the settings name it.",
      keys.map { ($0.labels, $0.key.isBad ? 1 : 0) })
  }

  private static func samples<Count>(
    _ labels: OpenMetrics.Labels, _ tally: ChatterTally<Count>
  ) -> [OpenMetrics.Sample] {
    Chatter.allCases.map { (labels + [("class", $0.label)], tally[$0]) }
  }

  /// A family of counters.
  private typealias Family<Subject, Number> = (
    name: String, help: String, count: KeyPath<Subject, Number> & Sendable
  )

  private static let deviceCounters: [Family<DeviceCounts, UInt64>] = [
    ("presses_received", "Presses that the device has sent.", \.pressesIn),
    ("presses_passed", "Presses passed on.", \.pressesOut),
    ("presses_throttled", "Strokes that throttle suppressed.", \.throttled),
    (
      "presses_locked_out", "Strokes suppressed because another key of their group was down.",
      \.lockedOut
    ),
    ("presses_too_soon", "Strokes that bounce-keys suppressed: too soon.", \.tooSoon),
    ("presses_too_short", "Strokes that slow-keys suppressed: too short.", \.tooShort),
    ("wheel_reversals", "Steps of a wheel that were removed: backwards, or twice.", \.reversals),
    ("single_presses", "Strokes that meant a single press.", \.singles),
    ("double_presses", "Pairs of strokes that meant a double press.", \.doubles),
    ("long_presses", "Strokes that meant a long press.", \.holds),
    (
      "resynchronisations", "How often events were lost between the kernel and the daemon.",
      \.resynchronisations
    ),
  ]

  private static let keyCounters: [Family<KeyStatus, UInt32>] = [
    ("strokes", "Strokes of the key passed on.", \.strokes),
    ("suppressed", "Strokes of the key that were suppressed and were no chatter.", \.suppressed),
    ("near_misses", "Strokes passed on after a gap shorter than twice the window.", \.nearMisses),
    ("learned", "How often adaptive found it to be bad.", \.learned),
    ("forgotten", "How often it was found to be good again.", \.forgotten),
  ]
}

// MARK: - The text

/// Counters as a collector reads them. All names begin with `keydebounce_`.
private struct OpenMetrics {
  typealias Labels = [(name: String, value: String)]
  typealias Sample = (labels: Labels, value: any CustomStringConvertible)

  enum Kind: String {
    case counter
    case gauge
    case histogram
  }

  private let form: MetricsForm
  /// The text so far, without its end.
  private var lines = ""

  init(as form: MetricsForm) {
    self.form = form
  }

  var text: String { form == .openMetrics ? lines + "# EOF\n" : lines }

  /// Writes a family with its samples.
  ///
  /// - Parameter unit: What the name ends in, if it has a unit.
  mutating func family(
    _ name: String, _ kind: Kind, unit: String? = nil, _ help: String, _ samples: [Sample]
  ) {
    let total = kind == .counter ? "\(name)_total" : name
    // In the older form a family is called as its samples are.
    let family = "keydebounce_" + (form == .prometheus ? total : name)
    lines += "# TYPE \(family) \(kind.rawValue)\n"
    if let unit, form == .openMetrics { lines += "# UNIT \(family) \(unit)\n" }
    lines += "# HELP \(family) \(Self.escaped(help))\n"
    for (labels, value) in samples { sample(total, labels, value) }
  }

  /// Writes a histogram whose sum is not known: OpenMetrics then requires that there is no `_count` either, which is in the
  /// last bucket. The older form requires both.
  ///
  /// - Parameter classes: Of each sample the counts, one for each class, not cumulative, and where the classes end, in the
  ///   family's unit; the last has no end.
  mutating func histogram(
    _ name: String, unit: String, _ help: String,
    _ classes: [(labels: Labels, counts: [UInt64], bounds: [Double])]
  ) {
    family(name, .histogram, unit: unit, help, [])
    for (labels, counts, bounds) in classes {
      var total: UInt64 = 0
      for (index, bound) in (bounds.map { "\($0)" } + ["+Inf"]).enumerated() {
        total &+= index < counts.count ? counts[index] : 0
        sample("\(name)_bucket", labels + [("le", bound)], total)
      }
      guard form == .prometheus else { continue }
      sample("\(name)_sum", labels, "NaN")
      sample("\(name)_count", labels, total)
    }
  }

  private mutating func sample(
    _ name: String, _ labels: Labels, _ value: any CustomStringConvertible
  ) {
    let list = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
    lines += "keydebounce_\(name)\(list.isEmpty ? "" : "{\(list)}") \(value)\n"
  }

  private static func escaped(_ text: String) -> String {
    // By scalars: a quote that something combines with is a quote.
    text.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "\\", "\"": escaped += "\\\(scalar)"
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }
}
