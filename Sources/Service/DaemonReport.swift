import Configuration
import Debounce
import DeviceSelection
import Devices
import EventDevices
import Glibc
import Status

/// What the daemon reports of itself, and the counts that it stores.
extension Daemon {
  /// - Parameter withKeys: Whether to include what was counted of each key.
  func status(withKeys: Bool, now: Instant) -> DaemonStatus {
    DaemonStatus(
      version: Version.current, pid: getpid(), uptime: Double(now - started) / 1_000_000,
      configuration: configuration.status,
      devices: devices.compactMap { $0.status(withKeys: withKeys) }
        .sorted { ($0.node.count, $0.node) < ($1.node.count, $1.node) })
  }

  /// What the daemon is doing, in a line.
  var summary: String {
    let states = devices.compactMap { $0.lifecycle.status }
    let debounced = states.count { $0 == .debounced }
    let others = states.count - debounced
    var text = debounced == 1 ? "1 device debounced" : "\(debounced) devices debounced"
    if others > 0 { text += ", \(others) waiting, lent or busy" }
    if !configuration.problems.isEmpty {
      text += "; the configuration has errors and was not adopted: see “keydebounce check”"
    }
    return text
  }

  /// Asks for what was counted when the device was last there.
  func readEarlierCounts(of pipeline: inout Pipeline) {
    let device = CountedDevice(pipeline.node.identity)
    // Of two that are alike, the second keeps none: the next time it could not be known which is which.
    guard statistics.isKept, devices.first(where: { $0.storage.device == device }) == nil
    else { return }
    pipeline.storage = .awaitingEarlier(device)
    statistics.read(device)
  }

  /// Adds what was counted earlier to what has been since.
  func addEarlierCounts() {
    for earlier in statistics.takeEarlier() {
      guard
        let id = devices.first(where: { $0.storage == .awaitingEarlier(earlier.device) })
      else { continue }
      devices.update(id) { pipeline in
        for key in earlier.keys { pipeline.add(key.counts, of: key.code) }
        pipeline.storage = .kept(earlier.device)
      }
    }
  }
}

extension LiveConfiguration {
  fileprivate var status: ConfigurationStatus {
    ConfigurationStatus(
      path: path, deviceFiles: settings.devices.count, reloads: reloads, problems: problems,
      warnings: warnings)
  }
}

extension Pipeline {
  /// What `status` shows of the device; `nil` if it is done with.
  fileprivate func status(withKeys: Bool) -> DeviceStatus? {
    guard let state = lifecycle.status else { return nil }
    let engine = path.engine
    return DeviceStatus(
      node: node.path, device: node.identity, state: state, file: settings.file,
      strategy: settings.rules.strategy.name, ownKeys: settings.rules.keys.count,
      counters: engine.counters, resynchronisations: path.resynchronisations,
      bridging: engine.countedKeys.count { engine.isBridging($0) },
      typesLikeAMachine: typesLikeAMachine, latency: Array(path.latency.counts),
      keys: withKeys ? keys : nil)
  }

  /// Has what was counted of the device stored, if it is to be.
  mutating func storeCounts(in statistics: Statistics) {
    guard case .kept(let device) = storage else { return }
    statistics.keep(keys, of: device)
    // A pipeline that has closed counts no more.
    if isClosed { storage = .notKept }
  }

  /// What was counted of each key, the most chatter first.
  var keys: [KeyStatus] {
    path.engine.countedKeys.compactMap { code in
      path.engine.counts(of: code).map {
        KeyStatus(
          key: KeyNames.name(of: code), code: code, counts: $0,
          isBridging: path.engine.isBridging(code))
      }
    }.sorted { ($0.chatter, $0.strokes, $0.code) > ($1.chatter, $1.strokes, $1.code) }
  }
}
