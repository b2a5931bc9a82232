import Configuration
import Debounce
import EventDevices
import Glibc
import Status

/// What the daemon reports of itself.
extension Daemon {
  func status(for level: AccessLevel, now: Instant) -> DaemonStatus {
    // What root sees is of now, and what others see is of the last whole minute.
    let moment = level == .root ? now : SnapshotTimer.lastMoment(at: now)
    return DaemonStatus(
      version: Version.current, pid: getpid(), uptime: Double(max(0, moment - started)) / 1_000_000,
      // In whole seconds since 1970.
      countedAt: level == .everyone ? nil : Double(time(nil) - Int((now - moment) / 1_000_000)),
      configuration: ConfigurationStatus(
        path: configuration.places.path, deviceFiles: configuration.settings.deviceFiles,
        reloads: configuration.reloads, problems: configuration.problems,
        warnings: configuration.warnings),
      devices: devices.compactMap { $0.status(for: level, at: moment) }
        .sorted { ($0.node.count, $0.node) < ($1.node.count, $1.node) })
  }

  /// What the daemon is doing, in a line that anybody can read: no word of it depends on when a key is pressed.
  var summary: String {
    let states = devices.compactMap { $0.isClosed ? nil : $0.published.state }
    let debounced = states.count { $0 == .debounced }
    let others = states.count - debounced
    var text = debounced == 1 ? "1 device debounced" : "\(debounced) devices debounced"
    let paused = devices.compactMap { $0.isClosed || !$0.path.engine.isPaused ? nil : true }.count
    if paused > 0 { text += ", \(paused) of them paused" }
    if others > 0 { text += ", \(others) waiting, handed over or busy" }
    if !configuration.problems.isEmpty {
      text +=
        configuration.reloads == 0
        ? "; a device file has errors, and its devices are left alone: see “keydebounce check”"
        : "; the configuration has errors and was not adopted: see “keydebounce check”"
    }
    return text
  }
}

extension Pipeline {
  /// What somebody may know of the device; `nil` if it is done with.
  fileprivate func status(for level: AccessLevel, at moment: Instant) -> DeviceStatus? {
    guard let state = lifecycle.status else { return nil }
    var status = DeviceStatus(
      node: node.path, device: node.identity, state: published.state, file: settings.file,
      strategy: settings.rules.strategy.name, ownKeys: settings.rules.keys.count)
    status.threshold = settings.threshold ?? settings.rules.strategy.threshold
    status.pause = pause(at: moment)
    switch level {
    case .everyone: break
    case .group: status.counts = published.counts
    case .root: (status.state, status.counts) = (state, counts(of: keys))
    }
    if let keys = status.keys {
      status.keyStrategies = KeyStrategy.all(
        in: settings.rules, settings.keyThresholds, among: keys.map(\.code), name: KeyNames.name)
      status.panicChord = path.panicChord.keys.map { KeyNames.name(of: $0) }
    }
    return status
  }

  func counts(of keys: [KeyStatus]) -> DeviceCounts {
    let habits = path.engine.habits
    var counts = DeviceCounts(
      counters: path.engine.counters, resynchronisations: path.resynchronisations,
      badKeys: keys.count(where: \.isBad),
      typesLikeAMachine: path.engine.hasTypedLikeAMachine,
      latency: path.writer.latency.list, keys: keys)
    counts.usualHold = habits.isEmpty ? nil : habits.usualHold
    counts.since = history.since
    return counts
  }
}

/// Who asks what the daemon does, by how much they may know.
enum AccessLevel: CaseIterable {
  /// Anybody: nothing that depends on what is typed, nor when.
  case everyone
  /// The group: counts, as they were at the last whole minute.
  case group
  /// Root, who may read the keyboards themselves: everything as it is now.
  case root
}

/// What others than root may know of a device: as it was at the last moment of the ``SnapshotTimer``.
struct PublishedStatus {
  /// What the daemon is doing with the device. Until the next moment it is taken to do what it is there for: that it waits
  /// for a key to come up, and when that came up, is nobody's business.
  private(set) var state = DeviceStatus.State.debounced
  private(set) var counts = DeviceCounts()
  /// What was reset since the last moment; see ``reset(_:)``.
  private var resets: [KeyCode?] = []

  /// Whether the next moment is to show more than the last, without any further event.
  var isIncomplete: Bool { !resets.isEmpty }

  /// Publishes how the device is now; what is done with keeps its last state.
  mutating func renew(_ state: DeviceStatus.State?, _ counts: DeviceCounts) {
    switch state {
    case .busy, .handedOver: self.state = state ?? .debounced
    case .starting, .waiting, .debounced, .leaving: self.state = .debounced
    case nil: break
    }
    self.counts = counts
    for key in resets { self.counts.reset(key) }
    resets = []
  }

  /// Drops what was counted and learned of a key, or of all. Nothing else is renewed.
  ///
  /// The next moment does not show it either: whoever resets a key shortly before, again and again, would learn when it
  /// is pressed.
  mutating func reset(_ key: KeyCode?) {
    counts.reset(key)
    // Each once: clients must not be able to make it grow.
    guard !resets.contains(nil), !resets.contains(key) else { return }
    resets.append(key)
  }
}

/// When others than root get to see what has been counted: at whole minutes, and at no other time.
///
/// Counts that may be read at any time are a key logger: whoever reads them often enough learns which key was pressed when.
/// From that, they learn how long a password is, and much of it. So what is published is renewed at moments that no key
/// decides: multiples of a minute of the kernel's clock, whenever the first key of that minute came. As long as nothing
/// happens, nothing is renewed, and nobody wakes up for it.
struct SnapshotTimer {
  static let interval: Microseconds = 60_000_000

  /// When ``isDue(at:)`` must be asked at the latest.
  private(set) var deadline = Instant.never

  /// Receives that something has happened that the next snapshot is to show. Called for every event of a
  /// key, and for motion now and then.
  ///
  /// - Returns: Whether ``deadline`` is another since.
  @inline(__always)
  mutating func somethingHappened(at now: Instant) -> Bool {
    guard deadline == .never else { return false }
    setDeadline(at: now)
    return true
  }

  @inline(never)
  private mutating func setDeadline(at now: Instant) {
    deadline = Self.lastMoment(at: now) + Self.interval
  }

  /// Whether it is time to publish: once for each moment.
  mutating func isDue(at now: Instant) -> Bool {
    guard deadline <= now else { return false }
    deadline = .never
    return true
  }

  static func lastMoment(at now: Instant) -> Instant {
    Instant(now.microseconds - now.microseconds % interval)
  }
}
