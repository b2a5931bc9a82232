import Debounce
import Reports
import Terminal
import Samples
import Status
import Testing

@testable import keydebounce

@Suite("What top does with keys")
struct TopModelTests {
  private var model = TopModel.sample(StatusSamples.wornKeyboard)

  private func frame(of model: TopModel) -> TopFrame {
    TopScreen.draw(model, columns: 80, rows: 24)
  }

  /// Types, on what is shown each time.
  private func type(_ inputs: Input..., on model: inout TopModel) -> TopModel.Action? {
    var action: TopModel.Action?
    for input in inputs { action = model.receive(input, on: frame(of: model)) }
    return action
  }

  @Test("begins with the worst key, and moves in the table to both ends")
  func table() {
    var model = model
    #expect(model.key?.key == "KEY_E")
    _ = type(.down, on: &model)
    #expect(model.key?.key == "KEY_SPACE")
    for _ in model.keys { _ = type(.down, on: &model) }
    #expect(model.key?.code == model.keys.last?.code)
    for _ in model.keys { _ = type(.up, on: &model) }
    #expect(model.key?.key == "KEY_E")
  }

  @Test("begins with the device that was used most, and stays there")
  func used() {
    let keyboard = StatusSamples.wornKeyboard.devices[0]
    var other = StatusSamples.device("/dev/input/event2", "Power Button", keys: [])
    var model = TopModel.sample(StatusSamples.daemon([other]))
    model.receive(StatusSamples.daemon([other, keyboard]))
    #expect(model.device?.name == "Keychron K2")
    other.counts.pressesIn = 1_000_000
    model.receive(StatusSamples.daemon([other, keyboard]))
    #expect(model.device?.name == "Keychron K2")
    model.receive(StatusSamples.daemon([other]))
    #expect(model.device?.name == "Power Button")
  }

  @Test("moves in what is shown, without Tab")
  func withoutTab() {
    let devices = ["A", "B"].map { StatusSamples.device("/dev/input/\($0)", $0, keys: []) }
    var model = TopModel.sample(StatusSamples.daemon(devices))
    _ = type(.down, on: &model)
    #expect(model.device?.name == "B")
    _ = type(.up, on: &model)
    #expect(model.device?.name == "A")
  }

  @Test("names a key that was never pressed, and calibrates it")
  func neverPressed() {
    var model = model
    model.choose(key: 45)
    #expect(frame(of: model).grid.text.contains("KEY_X  never pressed"))
    #expect(
      type(.character("c"), on: &model)
        == .call(["calibrate", "--key=KEY_X", "--", "/dev/input/event3"]))
  }

  @Test("keeps the chosen key when others have overtaken it")
  func order() {
    var model = model
    _ = type(.down, on: &model)
    var status = StatusSamples.wornKeyboard
    status.devices[0].counts.keys.removeAll { $0.key == "KEY_E" }
    model.receive(status)
    #expect(model.key?.key == "KEY_SPACE")
  }

  @Test("moves on the keyboard to the key that lies there")
  func keyboard() {
    var model = model
    _ = type(.backTab, on: &model)
    #expect(model.focus == .keyboard)
    // E, then R, F, and V or C below.
    _ = type(.right, on: &model)
    #expect(model.key?.key == "KEY_R")
    _ = type(.left, .left, on: &model)
    #expect(model.key?.key == "KEY_W")
    _ = type(.down, on: &model)
    // It was never pressed, but it lies there.
    #expect([30, 31].contains(model.key?.code))
    _ = type(.up, .up, .up, on: &model)
    #expect((59...62).contains(model.key?.code ?? 0))
    _ = type(.up, on: &model)
    #expect((59...62).contains(model.key?.code ?? 0))
  }

  @Test("has a letter for each thing to do")
  func commands() {
    var model = model
    let node = "/dev/input/event3"
    #expect(
      type(.character("c"), on: &model) == .call(["calibrate", "--key=KEY_E", "--", node]))
    #expect(type(.character("l"), on: &model) == .call(["leave", "--", node]))
    #expect(type(.character("p"), on: &model) == .pause(node: node, isPaused: true))
    #expect(type(.character("r"), on: &model) == .reload)
    #expect(type(.character("q"), on: &model) == .quit)
    #expect(type(.character("h"), on: &model) == nil)
    #expect(model.isHelpShown)
    #expect(type(.character("c"), on: &model) == nil)
    #expect(!model.isHelpShown)
    #expect(type(.character("x"), on: &model) == nil)
  }

  @Test("has no command take what the daemon calls a device or a key for an option")
  func options() throws {
    for name in ["--config=/etc/nologin", "--apply", "--yes", "--"] {
      var status = StatusSamples.wornKeyboard
      status.devices[0].node = name
      for index in status.devices[0].counts.keys.indices {
        status.devices[0].counts.keys[index].key = name
      }
      var model = TopModel.sample(status)
      guard case .call(let calibrate) = type(.character("c"), on: &model),
        case .call(let leave) = type(.character("l"), on: &model)
      else { throw StatusSampleError() }
      let measured = try CalibrateCommand.parse(Array(calibrate.dropFirst()))
      #expect(measured.device == name && measured.config == nil && !measured.apply)
      #expect(measured.keys == ["KEY_E"])
      let left = try LeaveCommand.parse(Array(leave.dropFirst()))
      #expect(left.options.device == name && !left.options.yes)
    }
  }

  private struct StatusSampleError: Error {}

  @Test("shows devices that come and go, and why there is no newer status")
  func changes() {
    var model = TopModel(StatusSamples.withoutDevices)
    #expect(type(.character("c"), .down, .tab, on: &model) == nil)
    model.trouble = (text: "no daemon", isGone: false)
    #expect(frame(of: model).grid.text.contains("Trying again: no daemon"))
    model.receive(StatusSamples.manyDevices)
    _ = type(.tab, .down, on: &model)
    #expect(!frame(of: model).grid.text.contains("Trying again"))
    let chosen = model.device?.node
    model.receive(StatusSamples.wornKeyboard)
    #expect(model.device?.node == "/dev/input/event3")
    model.receive(StatusSamples.manyDevices)
    #expect(chosen != nil && model.device?.node == chosen)
  }

  @Test("lights a key while it is down, and long enough to be seen")
  func lights() {
    var model = model
    model.live.receive(.key(30, down: true), at: 0)
    model.live.receive(.key(30, down: false), at: 4000)
    #expect(model.live.isLit(30))
    let isEarly = model.live.advance(to: LiveKeys.shortestLight - 1)
    #expect(!isEarly)
    #expect(model.live.due == LiveKeys.shortestLight)
    let isLate = model.live.advance(to: LiveKeys.shortestLight)
    #expect(isLate)
    #expect(!model.live.isLit(30) && model.live.due == nil)
    model.live.receive(.key(30, down: true), at: 0)
    _ = model.live.advance(to: 10_000_000)
    #expect(model.live.isLit(30))
    model.live.receive(.removed(30), at: 10_000_000)
    #expect(model.live.isAlarmed(30) && model.live.removed == 1 && model.live.presses == 2)
    model.live.receive(.lost(lines: 1, held: KeySet([31]), at: 0), at: 10_000_000)
    #expect(model.live.isLit(31) && !model.live.isLit(30))
    model.live = LiveKeys(blindness: "gone")
    #expect(frame(of: model).grid.text.contains("gone"))
  }
}
