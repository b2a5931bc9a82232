import Foundation
import Samples
import Status
import Testing

@Suite("status --openmetrics and --prometheus")
struct StatusMetricsTests {
  private func lines(
    _ status: DaemonStatus, as form: MetricsForm = .openMetrics, hasKeys: Bool = false
  ) -> [String] {
    StatusMetrics(of: status, as: form, hasKeys: hasKeys).text.split(separator: "\n")
      .map(String.init)
  }

  @Test("tells of devices, and of keys only if asked to")
  func counters() {
    let device = #"device="/dev/input/event3",name="Keychron K2",vendor="3434",product="0120""#
    let plain = lines(StatusSamples.wornKeyboard)
    #expect(plain.last == "# EOF")
    #expect(plain.contains("keydebounce_presses_passed_total{\(device)} 48213"))
    #expect(plain.contains(#"keydebounce_chatter_total{\#(device),class="drop_out"} 94"#))
    #expect(plain.contains(#"keydebounce_device_state{\#(device),state="debounced"} 1"#))
    #expect(plain.contains(#"keydebounce_device_state{\#(device),state="busy"} 0"#))
    #expect(!plain.contains { $0.contains("KEY_") })
    let full = lines(StatusSamples.wornKeyboard, hasKeys: true)
    #expect(full.contains(#"keydebounce_key_strokes_total{\#(device),key="KEY_E"} 3870"#))
  }

  @Test("says of when the counters are, and has none for those who may not know")
  func age() {
    let name = "keydebounce_counted_timestamp_seconds"
    #expect(lines(StatusSamples.wornKeyboard).contains("\(name) 1700000040.0"))
    let sparse = lines(StatusSamples.withoutCounts)
    #expect(!sparse.contains { $0.contains(name) })
    #expect(!sparse.contains { $0.contains("presses") || $0.contains("chatter") })
    #expect(!sparse.contains { $0.contains("latency") || $0.contains("_bad") })
    #expect(sparse.contains { $0.hasPrefix("keydebounce_device_state{") })
  }

  @Test("has histograms with rising buckets in seconds, and neither sum nor count")
  func histogram() {
    let buckets = lines(StatusSamples.wornKeyboard)
      .filter { $0.hasPrefix("keydebounce_latency_seconds_") }
    #expect(buckets.count == 24)
    #expect(buckets[0].contains(#"le="1e-06"} 0"#))
    #expect(buckets[8].hasSuffix(#"le="0.000256"} 46200"#))
    #expect(buckets[23].hasSuffix(#"le="+Inf"} 48213"#))
    let none = lines(StatusSamples.withoutDevices)
    #expect(!none.contains { $0.contains("_bucket") })
  }

  @Test(
    "in the older form: counters by their samples' names, histograms with a count, no unit, no end")
  func prometheus() {
    let lines = lines(StatusSamples.wornKeyboard, as: .prometheus)
    #expect(lines.contains("# TYPE keydebounce_presses_passed_total counter"))
    #expect(
      lines.contains {
        $0.hasPrefix("keydebounce_latency_seconds_count{") && $0.hasSuffix(" 48213")
      })
    #expect(
      lines.contains { $0.hasPrefix("keydebounce_latency_seconds_sum{") && $0.hasSuffix(" NaN") })
    #expect(!lines.contains { $0.hasPrefix("# UNIT") || $0 == "# EOF" })
  }

  @Test(
    "in the older form a device keeps its label when its node is another, and two of a kind differ")
  func stableLabels() {
    var status = StatusSamples.wornKeyboard
    let passed = { (status: DaemonStatus) in
      lines(status, as: .prometheus).filter { $0.hasPrefix("keydebounce_presses_passed_total") }
    }
    let before = passed(status)
    #expect(before[0].contains(#"{device="3434:0120 Keychron K2","#))
    status.devices[0].node = "/dev/input/event17"
    #expect(passed(status) == before)
    status.devices.append(status.devices[0])
    #expect(passed(status)[1].contains(#"{device="3434:0120 Keychron K2 #2","#))
  }

  @Test("shows a pause", arguments: [MetricsForm.openMetrics, .prometheus])
  func pause(form: MetricsForm) {
    var status = StatusSamples.wornKeyboard
    let paused = { (status: DaemonStatus) in
      lines(status, as: form).filter { $0.hasPrefix("keydebounce_device_paused{") }.map(\.last)
    }
    #expect(paused(status) == ["0"])
    status.devices[0].pause = DevicePause()
    #expect(paused(status) == ["1"])
  }

  @Test(
    "says of each family what it is before its samples, which stand together",
    arguments: [MetricsForm.openMetrics, .prometheus])
  func families(form: MetricsForm) {
    for (status, hasKeys) in [
      (StatusSamples.wornKeyboard, true), (StatusSamples.manyDevices, true),
      (StatusSamples.withoutDevices, false),
    ] {
      var family = ""
      var seen = Set<String>()
      for line in lines(status, as: form, hasKeys: hasKeys) where line != "# EOF" {
        let words = line.split(separator: " ")
        if words[0] == "#" {
          if words[1] == "TYPE" {
            family = String(words[2])
            #expect(seen.insert(family).inserted)
            if words[3] == "counter", form == .openMetrics { family += "_total" }
          } else if words[1] == "UNIT" {
            #expect(words[2].hasSuffix("_\(words[3])"))
          }
        } else {
          let name = line.prefix { $0 != "{" && $0 != " " }
          let parts = ["", "_bucket", "_sum", "_count"].map { family + $0 }
          #expect(parts.contains(String(name)))
        }
      }
    }
  }

  @Test("escapes what devices call themselves")
  func escapes() {
    var status = StatusSamples.manyDevices
    // What combines with the last quote makes one character of both.
    status.devices[0].name = "a \"quoted\\ \"\u{301}name"
    let text = StatusMetrics(of: status, as: .openMetrics, hasKeys: true).text
    let escaped = "name=\"a \\\"quoted\\\\ \\\"\u{301}name\""
    #expect(Data(text.utf8).range(of: Data(escaped.utf8)) != nil)
    #expect(
      text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
  }
}
