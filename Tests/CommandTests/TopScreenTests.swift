import Debounce
import EventDevices
import Foundation
import Recording
import Reports
import Terminal
import Samples
import Status
import Testing

@testable import keydebounce

/// Screens are held against files in Fixtures/top. To write them anew after a change of the layout, and look at what has
/// changed: `KEYDEBOUNCE_WRITE_FIXTURES=1 swift test --filter TopScreenTests`.
@Suite("The screen of top")
struct TopScreenTests {
  private func expect(_ text: String, isLike name: String) throws {
    let file = "top/\(name).txt"
    #expect(try text == fixture(file, rewrittenAs: text), "differs from \(file)")
  }

  static let samples: [(String, TopModel)] = [
    ("worn-keyboard", TopModel.sample(StatusSamples.wornKeyboard)),
    ("pressed", TopModel.pressed),
    ("without-devices", TopModel.sample(StatusSamples.withoutDevices)),
    ("many-devices", TopModel.sample(StatusSamples.manyDevices)),
    ("help", TopModel.help),
  ]

  @Test("is as it was", arguments: samples.map(\.0), [(80, 24), (160, 50), (50, 14)])
  func text(name: String, size: (columns: Int, rows: Int)) throws {
    let model = try #require(Self.samples.first { $0.0 == name }?.1)
    let frame = TopScreen.draw(model, columns: size.columns, rows: size.rows, hasColours: false)
    try expect(frame.grid.text, isLike: "\(name)-\(size.columns)x\(size.rows)")
  }

  @Test("is as it was in colours and in ASCII, and has no colours where there are none")
  func colours() throws {
    func frame(_ characters: Characters = .unicode, hasColours: Bool = false) -> TopFrame {
      TopScreen.draw(
        TopModel.pressed, columns: 80, rows: 24, characters: characters, hasColours: hasColours)
    }
    func painted(_ frame: TopFrame) -> String {
      var painter = ScreenPainter()
      return painter.paint(frame.grid).replacing("\u{1b}[", with: "\n␛[")
    }
    try expect(painted(frame(hasColours: true)) + "\n", isLike: "pressed-coloured")
    #expect(!painted(frame()).contains("␛[0;"))
    let plain = frame(.ascii).grid.text
    #expect(plain.utf8.allSatisfy { $0 < 0x80 })
    try expect(plain, isLike: "pressed-ascii")
  }

  @Test("fits whatever the terminal's size, and shows how to quit")
  func sizes() {
    for (name, model) in Self.samples {
      for (columns, rows) in [
        (1, 1), (7, 2), (20, 5), (40, 10), (79, 23), (80, 24), (100, 30), (240, 70),
      ] {
        let frame = TopScreen.draw(model, columns: columns, rows: rows)
        let lines = frame.grid.text.split(separator: "\n", omittingEmptySubsequences: false)
          .dropLast()
        #expect(
          lines.count == rows && lines.allSatisfy { String($0).columns <= columns }, "\(name)")
        if columns >= 20 { #expect(frame.grid.text.contains("q quit"), "\(name)") }
      }
    }
  }

  @Test("shows numbers whole or not at all")
  func numbers() {
    var status = StatusSamples.manyDevices
    status.devices[0].device.name = "A mouse with a name that is rather long"
    status.devices[0].counts.pressesOut = 48_213
    let numbers = Set(
      (status.devices.flatMap { [$0.counts.pressesOut, $0.counts.chatter.total] }
        + [312, 31_230, 272, 2230]).map { $0.grouped })
    for columns in 20...160 {
      let text = TopScreen.draw(.sample(status), columns: columns, rows: 24).grid.text
      for line in text.split(separator: "\n").dropFirst().prefix(3) {
        for number in line.matches(of: /[0-9][0-9,]*(?= passed| removed| pass| rem|\s*$)/) {
          #expect(numbers.contains(String(number.output)), "\(columns): \(line)")
        }
        #expect(
          !line.contains(#/ (passed|passed o|remove|remov|rem|pass)$/#), "\(columns): \(line)")
      }
    }
  }

  @Test("says in its first line that the daemon has ended, and no more for how long it has run")
  func gone() {
    var model = TopModel.sample(StatusSamples.wornKeyboard)
    func first() -> String {
      String(
        TopScreen.draw(model, columns: 80, rows: 24).grid.text.prefix { $0 != "\n" })
    }
    #expect(first().contains("running for 3 days"))
    model.trouble = (text: "the bus is gone", isGone: false)
    #expect(first().contains("does not answer") && !first().contains("running"))
    model.trouble = (text: "not running", isGone: true)
    #expect(
      first().contains("has ended: this is what it last reported") && !first().contains("running"))
    model.receive(StatusSamples.wornKeyboard)
    #expect(first().contains("running for 3 days"))
  }

  @Test("is drawn at once, however long a device's name is")
  func longName() {
    var status = StatusSamples.wornKeyboard
    status.devices[0].device.name = String(repeating: "n", count: 20_000)
    let time = ContinuousClock().measure {
      let text = TopScreen.draw(.sample(status), columns: 80, rows: 24).grid.text
      #expect(text.contains("nnn… "))
    }
    // Work that grows with the square of the length takes minutes.
    #expect(time < .seconds(5))
  }

  @Test(
    "says whether the selected key's strategy is its device's or its own, and the threshold",
    arguments: [
      (18, "strategy adaptive 25 ms\n"), (49, "strategy eager 30 ms, its own"),
      (57, "strategy bounce-keys 300 ms, its own"),
    ] as [(KeyCode, String)])
  func strategy(key: KeyCode, words: String) {
    var model = TopModel.sample(StatusSamples.wornKeyboard)
    model.choose(key: key)
    #expect(TopScreen.draw(model, columns: 80, rows: 24).grid.text.contains(words))
  }
}

extension RecordingParser.Entry {
  static func key(_ key: KeyCode, down: Bool) -> Self {
    .raw(Frame(time: 0, [.key(key, down: down)]))
  }

  /// A press is removed.
  static func removed(_ key: KeyCode) -> Self {
    .outcome(
      Outcome(key: key, isPress: true, edge: 0, time: 0, kind: .withdrawn(.pressBounce, with: 0)))
  }
}

extension TopScreen {
  static func draw(
    _ model: TopModel, columns: Int, rows: Int, characters: Characters = .unicode,
    hasColours: Bool = true
  ) -> TopFrame {
    draw(
      model,
      on: Sheet(columns: columns, rows: rows, hasColours: hasColours, characters: characters))
  }
}

extension TopModel {
  static func sample(_ status: DaemonStatus) -> TopModel {
    var status = status
    // The gaps of a typist.
    let gaps: [UInt32] = [0, 0, 0, 0, 0, 1, 1, 2, 5, 12, 70, 120, 380, 410, 390, 2400]
    for device in status.devices.indices {
      for key in status.devices[device].keys.indices {
        status.devices[device].counts.keys[key].counts.gaps = IntervalHistogram(gaps)
      }
    }
    return TopModel(status)
  }

  static let pressed: TopModel = {
    var model = sample(StatusSamples.wornKeyboard)
    model.choose(key: 17)
    model.live.receive(.key(16, down: true), at: 1_000_000)
    model.live.receive(.removed(18), at: 1_000_000)
    return model
  }()

  static let help: TopModel = {
    var model = sample(StatusSamples.wornKeyboard)
    let frame = TopScreen.draw(model, columns: 80, rows: 24)
    _ = model.receive(.character("h"), on: frame)
    return model
  }()
}
