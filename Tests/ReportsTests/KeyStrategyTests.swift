import Debounce
import Foundation
import Samples
import Terminal
import Testing

@testable import Reports
import Status

@Suite("How single keys are debounced")
struct KeyStrategyTests {
  private func strategy(_ name: String, threshold: Microseconds? = nil) throws -> Strategy {
    try #require(StrategyKind(rawValue: name)).strategy(threshold: threshold)
  }

  @Test("is reported of keys that differ from their device, and of no others")
  func differing() throws {
    var rules = Rules()
    rules.keys = [
      44: try strategy("eager", threshold: 30_000), 18: try strategy("adaptive", threshold: 40_000),
      // The same as the device's, though the key is named.
      30: rules.strategy,
    ]
    // Of the keys that were pressed, one turns a knob: volume up.
    let keys = KeyStrategy.all(in: rules, among: [16, 18, 115]) { "KEY_\($0)" }
    #expect(keys.map(\.code) == [18, 44, 115])
    #expect(keys.map(\.key) == ["KEY_18", "KEY_44", "KEY_115"])
    #expect(keys.map(\.strategy) == ["adaptive", "eager", "none"])
    #expect(keys.map(\.threshold) == [40_000, 30_000, nil])
    #expect(KeyStrategy.all(in: Rules(), among: [16, 18]) { _ in "" }.isEmpty)
    // As it was configured, whatever stands beside it.
    let given = KeyStrategy.all(in: rules, [44: 50_000], among: []) { "KEY_\($0)" }
    #expect(given.map(\.threshold) == [40_000, 50_000])
  }

  @Test("travels with the counts of keys, and is small")
  func json() throws {
    var status = StatusSamples.wornKeyboard
    status.devices[0].threshold = 25_000
    status.devices[0].keyStrategies = [
      KeyStrategy(key: "KEY_Z", code: 44, try strategy("eager", threshold: 30_000)),
      KeyStrategy(key: "KEY_VOLUMEUP", code: 115, .none),
    ]
    let text = String(decoding: try StatusJSON.encode(status), as: UTF8.self)
    #expect(
      text.contains(
        #"{"code":44,"key":"KEY_Z","strategy":"eager","threshold":30000}"#
          + #",{"code":115,"key":"KEY_VOLUMEUP","strategy":"none"}"#))
    #expect(try StatusJSON.decode(DaemonStatus.self, from: Array(text.utf8)) == status)
  }

  @Test("is shown by status where it is of a few keys, and counted where it is of many")
  func report() throws {
    var status = StatusSamples.wornKeyboard
    func text() -> String {
      StatusReport(of: status, labels: [44: "Y"], on: Sheet(columns: 300)).text
    }
    status.devices[0].keyStrategies = [
      KeyStrategy(key: "KEY_Z", code: 44, try strategy("eager", threshold: 12_500)),
      KeyStrategy(key: "KEY_X", code: 45, .none),
    ]
    #expect(text().contains("; KEY_Z (Y): eager, threshold 12.5 ms; KEY_X: none\n"))
    #expect(!text().contains("have their own"))
    status.devices[0].ownKeys = 9
    status.devices[0].keyStrategies = try (16..<25).map {
      KeyStrategy(key: "KEY_\($0)", code: $0, try strategy("eager", threshold: 30_000))
    }
    #expect(text().contains("; 9 keys have their own\n"))
    #expect(!text().contains("threshold"))
  }

  @Test("says which keys the settings name, and what that costs, once for those alike")
  func named() throws {
    func named(_ key: String, _ code: KeyCode, _ threshold: Microseconds) -> KeyStrategy {
      KeyStrategy(key: key, code: code, .adaptive(Adaptive(threshold: threshold, isNamed: true)))
    }
    var status = StatusSamples.wornKeyboard
    status.devices[0].keyStrategies = [
      named("KEY_E", 18, 40_000), named("KEY_R", 19, 40_000), named("KEY_SPACE", 57, 20_000),
      KeyStrategy(key: "KEY_X", code: 45, .adaptive(Adaptive(threshold: 40_000))),
    ]
    let lines = StatusReport(of: status, on: Sheet(columns: 1000)).text.split(separator: "\n")
      .map { String($0.trimmingPrefix(while: \.isWhitespace)) }
    #expect(
      lines.contains {
        $0.hasSuffix(
          "; KEY_E: adaptive, threshold 40 ms, named; KEY_R: adaptive, threshold 40 ms, named; "
            + "KEY_SPACE: adaptive, threshold 20 ms, named; KEY_X: adaptive, threshold 40 ms")
      })
    let cost = try #require(status.devices[0].keyStrategies[0].cost)
    #expect(
      lines.contains("named      KEY_E, KEY_R: " + cost.sentences.joined(separator: "; ")))
    #expect(lines.contains { $0.hasPrefix("KEY_SPACE: a press within 48 ms of") })
    let json = try StatusJSON.encode(status)
    #expect(try StatusJSON.decode(DaemonStatus.self, from: json) == status)
    let text = String(decoding: json, as: UTF8.self)
    #expect(
      text.contains(
        #""named":{"confirm":25000,"dropout":20000,"early_dropout":30000,"settle":56000,"suspect":48000}"#
      ))
    #expect(text.components(separatedBy: "\"named\"").count == 4)
    // What was counted of them says so, too.
    for index in status.devices[0].counts.keys.indices
    where status.devices[0].counts.keys[index].code == 18 {
      status.devices[0].counts.keys[index].isBad = true
    }
    let report = StatusReport(of: status, on: Sheet(columns: 1000)).text
    #expect(report.contains("KEY_E (releases delayed: the settings name it)"))
  }
}
