import Debounce
import EventDevices
import Status

/// Statuses as a daemon could tell them.
public enum StatusSamples {
  /// A keyboard with one bad key, a few worn ones, and healthy ones.
  public static let wornKeyboard = daemon([keyboard])

  public static let withoutDevices: DaemonStatus = {
    var status = daemon([])
    status.uptime = 59
    status.configuration.deviceFiles = 0
    return status
  }()

  public static let brokenConfiguration: DaemonStatus = {
    var status = daemon([device("/dev/input/event3", "Keychron K2", keys: [])])
    status.configuration.problems = [
      "/etc/keydebounce/devices.d/10-desk.toml:4:1: found “thresold”, which no table has; expected "
        + "“threshold”",
      "/etc/keydebounce/keydebounce.toml:1:2: found “defualts”",
    ]
    status.configuration.reloads = 1
    status.configuration.warnings = ["/etc/keydebounce/keydebounce.toml:3:13: 80 ms is long"]
    return status
  }()

  /// Many kinds of devices in all states, and counts as large as they get.
  public static let manyDevices: DaemonStatus = {
    var mouse = device(
      "/dev/input/event7", "Optical Mouse",
      keys: [
        key("BTN_LEFT", 272, strokes: 31_230, 210, 40, 22, near: 55, gap: 9000),
        key("BTN_RIGHT", 273, strokes: 2230),
      ])
    (mouse.strategy, mouse.threshold) = ("eager-defer", 30_000)
    mouse.counts.pressesIn = 2
    mouse.counts.pressesOut = 1
    mouse.counts.chatter.pressBounces = 1
    var pedal = device(
      "/dev/input/event12", "Pedal",
      keys: [key("KEY_PAGEDOWN", 109, strokes: .max, .max, .max, .max, near: .max, gap: 200_000)])
    pedal.counts.pressesIn = .max
    pedal.counts.pressesOut = .max
    pedal.counts.chatter.dropOuts = 1
    pedal.counts.throttled = 1
    pedal.counts.lockedOut = 1234
    pedal.counts.resynchronisations = 2
    pedal.counts.latency = Array(repeating: .max, count: 24)
    var hostile = device(
      "/dev/input/event9", "\u{1b}[31mred\u{9b}2J\r\n\u{202e}漢字キーボード 😀", keys: [])
    hostile.state = .busy
    var nameless = device("/dev/input/event10", "", keys: [])
    nameless.state = .waiting
    return daemon([mouse, hostile, nameless, pedal])
  }()

  public static func daemon(_ devices: [DeviceStatus]) -> DaemonStatus {
    DaemonStatus(
      version: "0.1.0", pid: 812, uptime: 273_845.2, countedAt: 1_700_000_040,
      configuration: ConfigurationStatus(path: "/etc/keydebounce", deviceFiles: 1),
      devices: devices)
  }

  public static func device(_ node: String, _ name: String, keys: [KeyStatus]) -> DeviceStatus {
    DeviceStatus(
      node: node,
      device: DeviceIdentity(
        name: name, bus: 3, vendor: 0x3434, product: 0x0120, version: 0x0111),
      state: .debounced, file: nil, strategy: "adaptive", ownKeys: 0,
      counts: DeviceCounts(keys: keys))
  }

  /// - Parameter gap: Of all its chatter, in microseconds.
  public static func key(
    _ name: String, _ code: KeyCode, strokes: UInt32, _ pressBounces: UInt32 = 0,
    _ releaseBounces: UInt32 = 0, _ dropOuts: UInt32 = 0, near: UInt32 = 0,
    gap: Microseconds = 6000, isBad: Bool = false
  ) -> KeyStatus {
    var counts = KeyCounts()
    counts.strokes = strokes
    counts.chatter.pressBounces = pressBounces
    counts.chatter.releaseBounces = releaseBounces
    counts.chatter.dropOuts = dropOuts
    counts.nearMisses = near
    var gaps = [UInt32](repeating: 0, count: IntervalHistogram.classCount)
    let place = IntervalHistogram.bounds.firstIndex { gap < $0 } ?? gaps.count - 1
    gaps[place] = UInt32(clamping: counts.chatter.total)
    // Others are around it.
    if place > 0 { gaps[place - 1] = gaps[place] / 3 }
    counts.removedGaps = IntervalHistogram(gaps)
    return KeyStatus(key: name, code: code, counts: counts, isBad: isBad)
  }

  private static let keyboard: DeviceStatus = {
    var keys = [
      key("KEY_N", 49, strokes: 2145, 0, 2, 1, near: 1, gap: 13_000, isBad: true),
      key("KEY_E", 18, strokes: 3870, 130, 73, 94, near: 12, isBad: true),
      key("KEY_SPACE", 57, strokes: 8120, 9, 14, near: 3),
      key("KEY_BACKSPACE", 14, strokes: 304, near: 2),
      key("KEY_LEFTSHIFT", 42, strokes: 296, 0, 1, gap: 26_000),
      key("KEY_CAPSLOCK", 58, strokes: 0), key("KEY_KP5", 76, strokes: 40),
    ]
    for (code, name) in zip(KeyCode(16)..., "QWERTYUIOP") where name != "E" {
      keys.append(key("KEY_\(name)", code, strokes: UInt32(code) * 50))
    }
    var device = StatusSamples.device("/dev/input/event3", "Keychron K2", keys: keys)
    device.file = "/etc/keydebounce/devices.d/10-desk.toml"
    device.threshold = 25_000
    device.ownKeys = 2
    device.keyStrategies = [
      KeyStrategy(key: "KEY_N", code: 49, .eager(Eager(press: 30_000, release: 30_000))),
      KeyStrategy(key: "KEY_SPACE", code: 57, .bounceKeys(BounceKeys(delay: 300_000))),
    ]
    var counts = DeviceCounts(keys: keys)
    counts.pressesIn = 48_540
    counts.pressesOut = 48_213
    (counts.chatter.pressBounces, counts.chatter.releaseBounces, counts.chatter.dropOuts) = (
      140, 78, 94
    )
    counts.badKeys = 2
    counts.latency = [0, 0, 0, 0, 0, 0, 1200, 31_000, 14_000, 1800, 150, 40, 20, 3]
    counts.latency += Array(repeating: 0, count: 10)
    device.counts = counts
    return device
  }()
}
