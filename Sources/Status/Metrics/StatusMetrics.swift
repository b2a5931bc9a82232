import Debounce
import EventDevices
import Terminal

/// What `status --openmetrics` and `--prometheus` write: one family after the other, each with all devices.
public struct StatusMetrics {
  private let status: DaemonStatus
  private let form: MetricsForm
  private let hasKeys: Bool
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
      known[kind, default: 0] += 1
      let ordinal = known[kind, default: 1]
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
    metrics.begin("keydebounce_info", .gauge, "The running daemon.")
    metrics.sample("keydebounce_info", 1, [("version", status.version.printable)])
    let name = "keydebounce_uptime_seconds"
    metrics.begin(name, .gauge, unit: "seconds", "For how long the daemon has been running.")
    metrics.sample(name, status.uptime)
    if let countedAt = status.countedAt {
      let name = "keydebounce_counted_timestamp_seconds"
      metrics.begin(
        name, .gauge, unit: "seconds",
        "When the counters of devices were as they are here: for others than root, at the last whole minute."
      )
      metrics.sample(name, countedAt)
    }
    let configuration = status.configuration
    let gauges = [
      ("device_files", configuration.deviceFiles, "Device files in use."),
      (
        "problems", configuration.problems.count,
        "Errors in the files as last read; while there are any, older settings hold."
      ),
      (
        "warnings", configuration.warnings.count, "Warnings: what is legal in the files but unwise."
      ),
    ]
    for (name, value, help) in gauges {
      metrics.begin("keydebounce_configuration_\(name)", .gauge, help)
      metrics.sample("keydebounce_configuration_\(name)", value)
    }
    metrics.begin(
      "keydebounce_configuration_reloads", .counter, "How often the files were reloaded.")
    metrics.sample("keydebounce_configuration_reloads_total", configuration.reloads)
  }

  private func writeDevices(to metrics: inout OpenMetrics) {
    metrics.begin("keydebounce_device_info", .gauge, "A device that the daemon holds.")
    for (device, labels) in devices {
      metrics.sample(
        "keydebounce_device_info", 1,
        labels + [
          ("strategy", device.strategy.printable), ("file", (device.file ?? "").printable),
        ])
    }
    metrics.begin(
      "keydebounce_device_paused", .gauge, "Whether the device is paused.")
    for (device, labels) in devices {
      metrics.sample("keydebounce_device_paused", device.pause == nil ? 0 : 1, labels)
    }
    metrics.begin(
      "keydebounce_device_state", .gauge, "1 for what the daemon does with the device now.")
    for (device, labels) in devices {
      for state in DeviceStatus.State.allCases {
        metrics.sample(
          "keydebounce_device_state", state == device.state ? 1 : 0,
          labels + [("state", state.rawValue)])
      }
    }
  }

  /// What was counted of each device, if whoever asked may know.
  private func writeCounts(to metrics: inout OpenMetrics) {
    let counted = devices.compactMap { device, labels in
      device.counts.map { (labels: labels, counts: $0) }
    }
    guard counted.count == devices.count else { return }
    for family in Self.deviceCounters {
      metrics.begin("keydebounce_\(family.name)", .counter, family.help)
      for (labels, counts) in counted {
        metrics.sample("keydebounce_\(family.name)_total", counts[keyPath: family.count], labels)
      }
    }
    metrics.begin("keydebounce_chatter", .counter, "Chatter removed.")
    for (labels, counts) in counted {
      for chatter in Chatter.allCases {
        metrics.sample(
          "keydebounce_chatter_total", counts.counters[Removal.chatter(chatter)],
          labels + [("class", chatter.label)])
      }
    }
    metrics.begin(
      "keydebounce_bad_keys", .gauge,
      "Bad keys: adaptive found them, or the settings name them.")
    for (labels, counts) in counted {
      metrics.sample("keydebounce_bad_keys", counts.badKeys, labels)
    }
    let name = "keydebounce_latency_seconds"
    metrics.begin(
      name, .histogram, unit: "seconds",
      "From the kernel's time stamp of a frame to its being written; of deferred frames, from their "
        + "deadline. Of motion alone, a sample.")
    for (labels, counts) in counted {
      let bounds = counts.latency.indices.dropLast().map { Double(1 << min($0, 60)) / 1e6 }
      metrics.histogram(name, labels, counts.latency, bounds: bounds)
    }
  }

  private func writeKeys(to metrics: inout OpenMetrics) {
    for family in Self.keyCounters {
      metrics.begin("keydebounce_key_\(family.name)", .counter, family.help)
      forEachKey { key, labels in
        metrics.sample("keydebounce_key_\(family.name)_total", key[keyPath: family.count], labels)
      }
    }
    metrics.begin("keydebounce_key_chatter", .counter, "Chatter of the key removed.")
    forEachKey { key, labels in
      for chatter in Chatter.allCases {
        metrics.sample(
          "keydebounce_key_chatter_total", key.counts.chatter[chatter],
          labels + [("class", chatter.label)])
      }
    }
    metrics.begin(
      "keydebounce_key_bad", .gauge,
      "Whether the key is bad: adaptive found it, or the settings name it.")
    forEachKey { key, labels in
      metrics.sample("keydebounce_key_bad", key.isBad ? 1 : 0, labels)
    }
  }

  private func forEachKey(_ body: (KeyStatus, OpenMetrics.Labels) -> Void) {
    for (device, labels) in devices {
      for key in device.keys ?? [] {
        body(key, labels + [("key", key.key.printable)])
      }
    }
  }

  /// A family of counters; the name is given without the part that all have in common.
  private struct Family<Subject, Number>: Sendable {
    let name: String
    let help: String
    let count: KeyPath<Subject, Number> & Sendable

    init(_ name: String, _ help: String, _ count: KeyPath<Subject, Number> & Sendable) {
      (self.name, self.help, self.count) = (name, help, count)
    }
  }

  private static let deviceCounters: [Family<DeviceCounts, UInt64>] = [
    Family("presses_received", "Presses that the device has sent.", \.pressesIn),
    Family("presses_passed", "Presses passed on.", \.pressesOut),
    Family("presses_throttled", "Strokes that throttle suppressed.", \.throttled),
    Family(
      "presses_locked_out", "Strokes suppressed because another key of their group was down.",
      \.lockedOut),
    Family("presses_too_soon", "Strokes that bounce-keys suppressed: too soon.", \.tooSoon),
    Family("presses_too_short", "Strokes that slow-keys suppressed: too short.", \.tooShort),
    Family(
      "wheel_reversals", "Steps of a wheel that were removed: backwards, or twice.", \.reversals),
    Family("single_presses", "Strokes that meant a single press.", \.singles),
    Family("double_presses", "Pairs of strokes that meant a double press.", \.doubles),
    Family("long_presses", "Strokes that meant a long press.", \.holds),
    Family(
      "resynchronisations", "How often events were lost between the kernel and the daemon.",
      \.resynchronisations
    ),
  ]

  private static let keyCounters: [Family<KeyStatus, UInt32>] = [
    Family("strokes", "Strokes of the key passed on.", \.strokes),
    Family(
      "suppressed", "Strokes of the key that were suppressed and were no chatter.", \.suppressed),
    Family(
      "near_misses", "Strokes passed on after a gap shorter than twice the window.", \.nearMisses),
    Family("learned", "How often adaptive found it to be bad.", \.learned),
    Family("forgotten", "How often it was found to be good again.", \.forgotten),
  ]
}
