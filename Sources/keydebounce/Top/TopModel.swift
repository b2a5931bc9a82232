import Configuration
import Debounce
import Reports
import Status
import Terminal

/// The content of the screen of `keydebounce top`: what is known of the daemon, and the person's choices.
///
/// A value that receives what happens and returns what is to be done. Times are microseconds of the monotonic clock.
struct TopModel {
  /// The panel in which arrows move.
  enum Focus {
    case devices, keyboard, table
  }

  /// A task that the session carries out for the person.
  enum Action: Equatable {
    /// Measure a key, or what the person likes, with `keydebounce calibrate`; have the device left alone, with
    /// `keydebounce leave`.
    case call([String])
    /// Have everything that the device sends passed on as it is, or debounced again.
    case pause(node: String, isPaused: Bool)
    case reload
    case quit
  }

  /// The labels of keys that type something else than the kernel's names say.
  let labels: [KeyCode: String]

  private(set) var status: DaemonStatus
  /// Why there is no newer status, and whether the daemon has ended; `nil` while there is one.
  var trouble: (text: String, isGone: Bool)?
  /// A line for the person, shown until the next key.
  var message: StyledText?
  private(set) var focus = Focus.table
  private(set) var isHelpShown = false
  var live = LiveKeys()

  private var chosenNode: String?
  /// The device that had been used most when none of these was there: it is shown until another is chosen.
  private var usedNode: String?
  /// The key that was chosen on each device, by node.
  private var chosenKeys: [String: KeyCode] = [:]

  init(_ status: DaemonStatus, labels: [KeyCode: String] = [:]) {
    (self.status, self.labels) = (status, labels)
    receive(status)
  }
}

// MARK: - What is selected

extension TopModel {
  var devices: [DeviceStatus] { status.devices }

  /// The device that is shown: the most used unless another was chosen.
  var device: DeviceStatus? { deviceIndex.map { devices[$0] } }

  var deviceIndex: Int? {
    devices.firstIndex { $0.node == chosenNode } ?? devices.firstIndex { $0.node == usedNode }
      ?? devices.indices.first
  }

  var keys: [KeyStatus] { device?.keys.worstFirst ?? [] }

  /// The key that is shown closely; the worst unless another was chosen.
  var key: KeyStatus? {
    guard let device else { return nil }
    let keys = keys
    guard let code = chosenKeys[device.node] else { return keys.first }
    // One that was never pressed has no counts yet.
    return keys.first { $0.code == code }
      ?? KeyStatus(key: KeyNames.name(of: code), code: code, counts: KeyCounts())
  }

  mutating func choose(key code: KeyCode) {
    guard let device else { return }
    chosenKeys[device.node] = code
  }
}

// MARK: - What happens

extension TopModel {
  mutating func receive(_ status: DaemonStatus) {
    let node = device?.node
    self.status = status
    trouble = nil
    if !devices.contains(where: { $0.node == usedNode }) {
      usedNode = devices.filter { $0.use > 0 }.max { $0.use < $1.use }?.node
    }
    // The keys that were seen were those of a device that is gone.
    if device?.node != node { live = LiveKeys() }
  }

  mutating func receive(_ input: Input, on frame: TopFrame) -> Action? {
    message = nil
    if isHelpShown {
      isHelpShown = false
      return input == .character("q") ? .quit : nil
    }
    switch input {
    case .character(let letter): return command(letter)
    case .escape, .enter: break
    case .tab: moveFocus(by: 1, on: frame)
    case .backTab: moveFocus(by: -1, on: frame)
    case .up, .down, .left, .right: move(input, on: frame)
    }
    return nil
  }

  private mutating func command(_ letter: Character) -> Action? {
    switch letter {
    case "q", "Q": return .quit
    case "h", "H", "?": isHelpShown = true
    case "r": return .reload
    case "c", "l", "p":
      guard let device else {
        message = StyledText("There is no device for that.", .red)
        return nil
      }
      switch letter {
      // Behind “--”, no name is an option, whatever the daemon calls its devices.
      case "l": return .call(["leave", "--", device.node])
      case "p": return .pause(node: device.node, isPaused: device.pause == nil)
      default:
        let key = (key?.code).map { ["--key=\(KeyNames.name(of: $0))"] } ?? []
        return .call(["calibrate"] + key + ["--", device.node])
      }
    default: break
    }
    return nil
  }
}

// MARK: - Moving

extension TopModel {
  private mutating func moveFocus(by step: Int, on frame: TopFrame) {
    let panels = frame.panels
    guard let index = panels.firstIndex(of: frame.focus(of: self)) else { return }
    focus = panels[(index + step + panels.count) % panels.count]
  }

  private mutating func move(_ arrow: Input, on frame: TopFrame) {
    let step = arrow == .up || arrow == .left ? -1 : 1
    switch frame.focus(of: self) {
    case .devices:
      guard let index = deviceIndex, devices.indices.contains(index + step) else { return }
      chosenNode = devices[index + step].node
      live = LiveKeys()
    case .table:
      let keys = keys
      // A key that was never pressed is not in the table.
      let index = keys.firstIndex { $0.code == key?.code } ?? (step > 0 ? -1 : keys.count)
      if keys.indices.contains(index + step) { choose(key: keys[index + step].code) }
    case .keyboard:
      guard let code = key?.code, let next = frame.neighbour(of: code, arrow) else { return }
      choose(key: next)
    }
  }
}

extension DeviceStatus {
  /// How much it was used: its presses since it was plugged in, and those of its keys before.
  fileprivate var use: Double {
    keys.reduce(Double(counts.pressesIn)) { $0 + Double($1.strokes) }
  }
}
