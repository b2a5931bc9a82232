import Debounce
import DeviceSelection
import Devices
import EventDevices
import Logging

/// The devices that come and go.
extension Daemon {
  func takeDevicesPresent() throws {
    let nodes = try monitor.nodes()
    configuration.warn(of: nodes)
    if case .named(let paths) = options.selection {
      for path in paths where !nodes.contains(where: { $0.isNamed(by: path) }) {
        throw NoSuchDevice(path: path)
      }
    }
    var refused: (any Error)?
    for node in nodes {
      do {
        try take(node, now: .now)
      } catch DeviceError.gone {
        // Unplugged just now, most likely: udev reports when it is back.
        _ = retries.add(node, now: .now)
      } catch let error as DeviceError {
        log.about(.failedDevice).error("\(error)")
        _ = retries.add(node, now: .now)
        // Whatever else it is may be over in a moment, and the next device another matter.
        if case .permission = error { refused = error }
      }
    }
    loop.wake(at: retries.deadline)
    guard !devices.isEmpty else {
      // Not one of the devices that are there may be opened: more of them will not help.
      if let refused { throw refused }
      log.notice("no keyboard found; waiting for one to be plugged in")
      return
    }
  }

  /// Takes the node if it is one to take.
  ///
  /// - Parameter inheriting: What an earlier clone of the device did not take.
  func take(_ node: DeviceNode, inheriting kept: KeptEvents = KeptEvents(), now: Instant) throws {
    guard !isStopping, devices.first(where: { $0.holds(node.id) }) == nil else { return }
    let effective: EffectiveSettings
    switch options.selection.decide(on: node, by: configuration.settings) {
    case .take(let settings):
      effective = settings
      leftAlone[node.id] = nil
    case .leave(let reason):
      retries.forget(node.id)
      return reportLeftAlone(node, because: reason)
    }
    // First of all: a new keyboard may be waited for by other programs, too.
    let isNewKeyboard = node.isNew && node.kinds.contains(.keyboard) && kept.frames.isEmpty
    let source = try Source(
      path: node.path, of: node, grab: isNewKeyboard && canBeKept(node) ? .atOnce : .later)
    if isNewKeyboard, !canBeKept(node) { reportDelay(of: node) }
    // While the clone is made: what was learned is to be there before the first frame.
    let storage = readEarlierCounts(of: node)
    // Programs may open the clone before the table has it.
    users?.watchAll(true)
    devices.interestsHaveChanged()
    var pipeline = try Pipeline(
      from: source, node, settings: effective, recording: nextRecording, log: log, delayedLines,
      udevIsBusy: { [unowned self] in monitor.udevIsBusy }, now: now)
    pipeline.inherited = kept
    pipeline.storage = storage
    if let end = pauses.end(of: node.id, at: now) { pipeline.pause(until: end) }
    try devices.add(pipeline)
    recordings += 1
  }

  /// Whether what is typed on a new keyboard may be kept until its clone is ready.
  ///
  /// Where udev is slow, that takes longer than anything may be kept: what is typed would be lost.
  private func canBeKept(_ node: DeviceNode) -> Bool {
    node.announcementDelay ?? 0 <= Lifecycle.Pause.announcement
  }

  private func reportDelay(of node: DeviceNode) {
    let delay = (node.announcementDelay ?? 0) / 1000
    log.about(.device).info(
      "“\(node.name)” (\(node.path)): announced \(delay) ms after udev had applied its rules; it is grabbed when its clone is ready"
    )
  }

  /// Receives that udev has processed a device's clone. If it is not on the device's seat, it is made anew: udev waits for
  /// ``CloneMark``, and not for ever.
  private func cloneAnnounced(_ clone: DeviceNode, of id: DeviceID, now: Instant) {
    let result = devices.update(id) { ($0.node, $0.cloneAnnounced(clone, now: now)) }
    guard let (node, place) = result, let isInPlace = place else { return }
    if isInPlace { return retries.forget(node.id) }
    if retries.add(node, now: now) {
      log.about(.failedDevice).notice(
        """
        “\(node.name)” (\(node.path)): not debounced: it belongs to \(node.seat), and udev has put its clone on \(clone.seat). \
        Trying again a few times; if that does not help, udev lacks the rules that come with keydebounce, or one of yours \
        says otherwise
        """)
    }
    loop.wake(at: retries.deadline)
  }

  /// Takes the node if it is one to take; if it cannot be taken now, perhaps later.
  func tryToTake(_ node: DeviceNode, inheriting kept: KeptEvents = KeptEvents(), now: Instant) {
    do {
      try take(node, inheriting: kept, now: now)
    } catch DeviceError.gone {
      // Plugged in and out again, faster than udev reports. The removal is on its way.
      retries.forget(node.id)
    } catch {
      if retries.add(node, now: now) { log.about(.failedDevice).error("\(error)") }
      loop.wake(at: retries.deadline)
    }
  }

  /// Tries to take what could not be taken before.
  func retry(now: Instant) {
    for node in retries.takeDue(at: now) { tryToTake(node, now: now) }
    loop.wake(at: retries.deadline)
  }

  /// Logs why a device is left alone that one might expect to be taken. Once: udev reports devices again and again.
  private func reportLeftAlone(_ node: DeviceNode, because reason: String) {
    guard options.selection.isExpected(toTake: node), leftAlone[node.id] != reason else { return }
    leftAlone[node.id] = reason
    log.about(.device).notice("“\(node.name)” (\(node.path)): left alone: \(reason)")
  }

  /// Receives what has changed according to udev.
  func receive(_ change: Monitor.Change, now: Instant) {
    switch change {
    case .present(let node):
      if let id = devices.first(where: { $0.isClone(node) }) {
        return cloneAnnounced(node, of: id, now: now)
      }
      if let id = devices.first(where: { $0.holds(node.id) && $0.node != node }) {
        // Moved to another seat, perhaps, or a rule opts it out now.
        renew(node)
        devices.update(id) { judge(&$0, now: now) }
        sharePanicChords()
      } else {
        renew(node)
      }
      tryToTake(node, now: now)
    case .removed(let node):
      leftAlone[node] = nil
      retries.forget(node)
      pauses.forget(node)
      guard let id = devices.first(where: { $0.holds(node) }) else { return }
      devices.update(id) { $0.unplugged(now: now) }
    case .overrun:
      log.notice("too many devices came and went at once to follow; looking at all of them again")
      lookAround(now: now)
    }
  }

  /// The nodes that are there; `nil` if that cannot be found out. Those that are held stay so.
  func nodesIfKnown() -> [DeviceNode]? {
    do {
      return try monitor.nodes()
    } catch {
      log.error("\(error)")
      return nil
    }
  }

  /// Watches the nodes whose users matter now, and no others.
  func watchNodes() {
    guard let interests = devices.takeInterests() else { return }
    users?.watchAll(interests.clones)
    users?.watch(interests.sources)
  }

  /// Decides once more what is to be done with a device that is held: by the settings and by what udev knows by now.
  func judge(_ pipeline: inout Pipeline, now: Instant) {
    // Every device is on its way out when the daemon is.
    guard !pipeline.isClosed, !isStopping else { return }
    switch options.selection.decide(on: pipeline.node, by: configuration.settings) {
    case .take where pipeline.node.seat != pipeline.seat:
      pipeline.move(now: now)
    case .take(let settings):
      pipeline.adopt(settings, now: now)
      pipeline.stay()
    case .leave(let reason):
      guard !pipeline.isLeaving else { return }
      pipeline.log.notice("\(pipeline.title): given back: \(reason)")
      pipeline.leave(now: now)
    }
  }

  /// Has the nodes of each keyboard share their panic chords: its keys may be spread over them.
  func sharePanicChords() {
    var keyboards: [DeviceIdentity: PanicKeyboard] = [:]
    devices.updateAll { pipeline in
      guard pipeline.isForwarded, let id = pipeline.node.identity.keyboard else { return }
      let keyboard = keyboards[id] ?? PanicKeyboard()
      keyboard.add(pipeline.node.keys)
      keyboards[id] = keyboard
    }
    devices.updateAll { pipeline in
      guard pipeline.isForwarded else { return }
      let shared = pipeline.node.identity.keyboard.flatMap { keyboards[$0] }
      let keyboard = shared ?? PanicKeyboard(with: pipeline.node.keys)
      pipeline.path.adopt(keyboard.join(pipeline.settings.panicChord))
    }
  }

  /// Adopts what udev knows by now of a device that is held: its links, and what rules say of it.
  func renew(_ node: DeviceNode) {
    guard let id = devices.first(where: { $0.node.id == node.id }) else { return }
    devices.update(id) { $0.node = node }
  }

  /// Compares what there is with what was known, after news was lost.
  private func lookAround(now: Instant) {
    guard let nodes = nodesIfKnown() else { return }
    devices.updateAll { pipeline in
      let id = pipeline.node.id
      if !nodes.contains(where: { $0.id == id }) { pipeline.unplugged(now: now) }
    }
    for node in nodes { receive(.present(node), now: now) }
  }

  /// The file for the next device's recording: `FILE`, then `FILE.2`, `FILE.3` …
  private var nextRecording: String? {
    options.recording.map { recordings == 0 ? $0 : "\($0).\(recordings + 1)" }
  }
}
