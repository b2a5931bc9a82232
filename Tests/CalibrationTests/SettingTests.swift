import Configuration
import Debounce
import Devices
import Foundation
import Testing

@testable import Calibration

@Suite("Proposed settings")
struct SettingTests {
  @Test("mean in a device file what they mean to the engine", arguments: [nil, 1, 8, 10])
  func text(poll: Int?) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "keydebounce-\(ProcessInfo.processInfo.processIdentifier)-\(poll ?? 0)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "device.toml")
    let candidates = Setting.candidates(poll: poll)
    #expect(candidates.count > 100)
    for candidate in candidates.enumerated().filter({ $0.offset % 7 == 0 }).map(\.element) {
      try "[device]\nname = \"worn\"\n[keys]\nKEY_E = \(candidate.text)\n"
        .write(to: file, atomically: true, encoding: .utf8)
      let loaded = try LoadedSettings(readingFrom: file.path)
      let rules = try loaded.settings.rules(
        for: DeviceDescription(
          DeviceIdentity(name: "worn", vendor: 1, product: 1, version: 1)))
      #expect(rules.keys[18] == candidate.strategy)
      #expect(
        loaded.warnings.contains { $0.forLog.contains("than is wise") } == candidate.isLong,
        "\(candidate)")
    }
  }

  @Test("lie between two polls")
  func grid() {
    for candidate in Setting.candidates(poll: 8) where candidate.threshold > 0 {
      #expect(candidate.threshold.truncatingRemainder(dividingBy: 8) == 4)
    }
  }

  private func forecast(
    rate: Double, gap: Int, spread: Int = 2, dropOuts: Double = 0.3, person: Int = 78,
    doubleShare: Double = 0.02, faults: Int = 30
  ) -> SettingForecast {
    var chatter = FineHistogram()
    for step in -5...5 { chatter.add(Microseconds(max(1, gap + step * spread)) * 1000) }
    var finger = FineHistogram()
    for step in -15...15 { finger.add(Microseconds(person + step) * 1000) }
    let model = ChatterGapModel([(chatter.nonEmptyBins(to: 150), 150)])
    return SettingForecast(
      finger: FingerGapModel([(finger.nonEmptyBins(to: 150), 20...150)]), bounces: model,
      dropOuts: model,
      rate: rate, shares: ((1 - dropOuts) / 2, (1 - dropOuts) / 2, dropOuts),
      doubleShare: doubleShare, shortHolds: 0.005, faults: faults,
      poll: 1)
  }

  @Test("grow with the gaps of the chatter")
  func widening() throws {
    let narrow = try #require(forecast(rate: 0.02, gap: 8, spread: 1, dropOuts: 1).best())
    let wide = try #require(forecast(rate: 0.02, gap: 30, spread: 1, dropOuts: 1).best())
    #expect(narrow.setting.windows.dropout < wide.setting.windows.dropout)
    #expect(narrow.missed.value < 0.1)
  }

  @Test("bridge no drop-outs of a switch that hardly has any")
  func bounces() throws {
    let best = try #require(forecast(rate: 0.02, gap: 10, dropOuts: 0.001).best())
    #expect(best.releaseLatency < 25)
    #expect(best.missed.value < 0.05)
  }

  @Test("have times that check warns of only where many faults ask for them")
  func long() throws {
    for gap in [10, 30, 45] {
      let few = try #require(forecast(rate: 0.3, gap: gap, dropOuts: 0.01, faults: 3).best())
      #expect(!few.setting.isLong, "\(few.setting)")
    }
    let many = try #require(
      forecast(rate: 0.3, gap: 70, spread: 4, dropOuts: 0.01, person: 110).best())
    #expect(many.setting.isLong, "\(many.setting)")
  }

  @Test("are not made where most of the chatter would come through")
  func hopeless() {
    #expect(forecast(rate: 0.1, gap: 78, dropOuts: 1).best() == nil)
    #expect(forecast(rate: 0.1, gap: 12, dropOuts: 1).best() != nil)
  }

  @Test("spare the doubles of someone fast")
  func fast() {
    let slow = forecast(rate: 0.1, gap: 20, person: 110)
    let fast = forecast(rate: 0.1, gap: 20, person: 45)
    let setting = Setting.eagerDefer(threshold: 30)
    #expect(
      fast.expectation(of: setting).lostPerThousandDoubles.value
        > slow.expectation(of: setting).lostPerThousandDoubles.value)
    #expect(fast.finger.quantile(0.5) < slow.finger.quantile(0.5))
  }

  @Test("follow the costs")
  func costs() throws {
    var careful = forecast(rate: 0.05, gap: 25, dropOuts: 1, person: 60, doubleShare: 0.3)
    var bold = careful
    careful.costs.lost = 100
    bold.costs.lost = 0.1
    let less = try #require(careful.best()).lostPerThousand.value
    let more = try #require(bold.best()).lostPerThousand.value
    #expect(less < more)
  }

  @Test("know the model of all people where nothing is known of one")
  func population() {
    // 0.5, 5 and 50 % of all people's doubles are below 22, 46 and 78 ms.
    let model = FingerGapModel()
    #expect(abs(model.share(below: 22).value - 0.005) < 0.002)
    #expect(abs(model.share(below: 46).value - 0.05) < 0.01)
    #expect(abs(model.share(below: 78).value - 0.5) < 0.02)
  }
}
