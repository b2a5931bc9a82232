import Foundation
import Samples
import Status
import Testing

@Suite("status --openmetrics")
struct StatusMetricsTests {
  private func lines(_ status: DaemonStatus, hasKeys: Bool = false) -> [String] {
    StatusMetrics(of: status, hasKeys: hasKeys).text.split(separator: "\n").map(String.init)
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
    #expect(!sparse.contains { $0.contains("latency") || $0.contains("bridged") })
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

  @Test("says of each family what it is before its samples, which stand together")
  func families() {
    for (status, hasKeys) in [
      (StatusSamples.wornKeyboard, true), (StatusSamples.manyDevices, true),
      (StatusSamples.withoutDevices, false),
    ] {
      var family = ""
      var seen = Set<String>()
      for line in lines(status, hasKeys: hasKeys).dropLast() {
        let words = line.split(separator: " ")
        if words[0] == "#" {
          if words[1] == "TYPE" {
            family = String(words[2])
            #expect(seen.insert(family).inserted)
            if words[3] == "counter" { family += "_total" }
            if words[3] == "histogram" { family += "_bucket" }
          } else if words[1] == "UNIT" {
            #expect(words[2].hasSuffix("_\(words[3])"))
          }
        } else {
          #expect(line.prefix { $0 != "{" && $0 != " " } == family)
        }
      }
    }
  }

  @Test("escapes what devices call themselves")
  func escapes() {
    var status = StatusSamples.manyDevices
    status.devices[0].name = #"a "quoted\ name"#
    let text = StatusMetrics(of: status, hasKeys: true).text
    #expect(text.contains(#"name="a \"quoted\\ name""#))
    #expect(
      text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
  }
}
