import Configuration
import Control
import Debounce
import EventDevices
import Glibc
import Status

/// Reports of the daemon about itself and its devices.
extension Daemon {
  /// Everything as it is now. Counts tell what is typed: for root alone.
  func status(now: Instant) -> DaemonStatus {
    let settings = configuration.settings
    return DaemonStatus(
      version: Version.current, pid: getpid(), uptime: Double(max(0, now - started)) / 1_000_000,
      countedAt: Double(time(nil)),
      configuration: ConfigurationStatus(
        path: configuration.places.path,
        deviceFiles: settings.devices.count + settings.calibrations.count,
        reloads: configuration.reloads, problems: configuration.problems,
        warnings: configuration.warnings),
      devices: devices.compactMap { $0.status(at: now) }
        .sorted { ($0.node.count, $0.node) < ($1.node.count, $1.node) })
  }

  /// The devices that were taken. No key decides when something changes in what members of the group get.
  func controlledDevices(isRoot: Bool, now: Instant) -> [ControlledDevice] {
    devices.compactMap { $0.controlled(isRoot: isRoot, at: now) }
      .sorted { ($0.node.count, $0.node) < ($1.node.count, $1.node) }
  }

  /// The daemon's state in a line that anybody can read. No word of it depends on when a key is pressed.
  var summary: String {
    let states = devices.compactMap { $0.isClosed ? nil : $0.publishedState }
    let debounced = states.count { $0 == .debounced }
    let others = states.count - debounced
    var text = debounced == 1 ? "1 device debounced" : "\(debounced) devices debounced"
    let paused = devices.compactMap { $0.isClosed ? nil : $0.path.engine.isPaused }.count { $0 }
    if paused > 0 { text += ", \(paused) of them paused" }
    if others > 0 { text += ", \(others) held by other programs" }
    if !configuration.problems.isEmpty {
      let consequence =
        configuration.reloads > 0
        ? "the configuration has errors and was not adopted"
        : configuration.leavesDevicesAlone
          ? "a device file has errors, and its devices are left alone"
          : "a file has errors or cannot be read, and does not hold"
      text += "; \(consequence): see “keydebounce check”"
    }
    return text
  }
}

extension Pipeline {
  /// Counts and habits of each key, the most chatter first.
  var keys: [KeyStatus] {
    let engine = path.engine
    var learned = Dictionary(uniqueKeysWithValues: engine.habits.keys.map { ($0.code, $0) })
    let counted = engine.countedKeys
    return (counted + Set(learned.keys).subtracting(counted)).map { code in
      var key = KeyStatus(
        key: KeyNames.name(of: code), code: code, counts: engine.counts(of: code) ?? KeyCounts())
      if let habits = learned.removeValue(forKey: code) { key.habits = habits }
      key.isBad = engine.isBad(code)
      if key.habits.badFor != nil { key.badSince = history.badSince(code) }
      return key
    }.sorted { ($0.chatter.total, $0.strokes, $0.code) > ($1.chatter.total, $1.strokes, $1.code) }
  }

  /// The device's state and counts; `nil` if the device is done with.
  fileprivate func status(at now: Instant) -> DeviceStatus? {
    guard let state = lifecycle.status else { return nil }
    let (keys, habits) = (self.keys, path.engine.habits)
    var counts = DeviceCounts(keys: keys)
    counts.counters = path.engine.counters
    counts.resynchronisations = path.resynchronisations
    counts.badKeys = keys.count(where: \.isBad)
    counts.typesLikeAMachine = path.engine.hasTypedLikeAMachine
    counts.latency = path.writer.latency.list
    counts.usualHold = habits.isEmpty ? nil : habits.usualHold
    counts.since = history.since
    var status = DeviceStatus(
      node: node.path, device: node.identity, state: state, file: settings.file,
      strategy: settings.rules.strategy.name, ownKeys: settings.rules.keys.count, counts: counts)
    status.threshold = settings.threshold ?? settings.rules.strategy.threshold
    status.pause = pausedUntil.map { end in
      DevicePause(remaining: end == .never ? nil : Double(max(0, end - now)) / 1_000_000)
    }
    status.keyStrategies = KeyStrategy.all(
      in: settings.rules, settings.keyThresholds, among: keys.map(\.code), name: KeyNames.name)
    status.panicChord = path.panicChord.keys.map { KeyNames.name(of: $0) }
    return status
  }

  fileprivate func controlled(isRoot: Bool, at now: Instant) -> ControlledDevice? {
    guard let state = lifecycle.status else { return nil }
    let end = pausedUntil
    let rest = end.flatMap { $0 == .never ? nil : Int(max(0, $0 - now) + 999_999) / 1_000_000 }
    return ControlledDevice(
      node: node.path, name: node.name,
      state: isRoot ? ControlledDevice.State(showing: state) : publishedState, paused: end != nil,
      pausedUntil: rest.map { time(nil) + $0 })
  }
}

extension ControlledDevice.State {
  /// The part of a state that members of the group may see. They do not see that the daemon waits for a key to come up, nor when
  /// the key came up.
  init(showing state: DeviceStatus.State) {
    self =
      switch state {
      case .busy: .busy
      case .starting, .waiting, .debounced, .leaving: .debounced
      }
  }
}
