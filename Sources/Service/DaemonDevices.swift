import Debounce
import DeviceSelection
import EventDevices
import Glibc
import Logging
import SystemPackage

/// The devices that the daemon takes, and their pipelines.
extension Daemon {
  func pipeline(_ slot: Int, _ generation: UInt32) -> Pipeline? {
    generations[slot] == generation ? slots[slot] : nil
  }

  func readSource(of pipeline: Pipeline, in slot: Int, now: Microseconds) {
    guard !pipeline.isClosed else { return }
    let hasMore = pipeline.readSource(now: now)
    if hasMore {
      backlog.insert(slot)
      if pipeline.lifecycle.deadline <= now { pipeline.advanceLifecycle(to: now) }
    } else {
      // Most of the time it is empty, and to find that out takes no hashing.
      if !backlog.isEmpty { backlog.remove(slot) }
      // With frames unread, time cannot be told to have passed.
      if pipeline.deadline <= now { pipeline.advance(to: now) }
    }
    settle(pipeline, in: slot)
  }

  /// Advances every pipeline that is due.
  func advanceAll(to now: Microseconds) {
    for (slot, pipeline) in slots.enumerated() {
      guard let pipeline else { continue }
      if pipeline.deadline > now {
        loop.wake(at: pipeline.deadline)
      } else if pipeline.lifecycle.hasEnded(at: now) {
        remove(slot)
      } else {
        // What happened before the deadline may still wait to be read.
        readSource(of: pipeline, in: slot, now: now)
      }
    }
  }

  /// Follows up on what a pipeline has just done: listens to it no more if it has closed, tells who waits for it, and
  /// wakes in time for its next deadline.
  func settle(_ pipeline: Pipeline, in slot: Int) {
    if pipeline.hasPanicked, end != .panic { panic() }
    if pipeline.isClosed {
      loop.remove(pipeline.path.source.descriptor)
      backlog.remove(slot)
      keepCounts(of: pipeline)
    }
    if !loans.isEmpty { loans.settle(pipeline) }
    if pipeline.hasNews {
      pipeline.hasNews = false
      hasNews = true
    }
    loop.wake(at: pipeline.deadline)
  }

  private func add(_ pipeline: Pipeline) throws(DeviceError) {
    let slot = slots.firstIndex { $0 == nil } ?? slots.count
    if slot == slots.count {
      slots.append(nil)
      generations.append(0)
    }
    generations[slot] &+= 1
    let generation = generations[slot]
    do {
      try loop.add(pipeline.path.source.descriptor, as: .source(slot: slot, generation: generation))
      try loop.add(pipeline.path.clone.descriptor, as: .clone(slot: slot, generation: generation))
    } catch {
      throw .system(operation: "listen to", path: pipeline.node.path, error)
    }
    slots[slot] = pipeline
    settle(pipeline, in: slot)
  }

  private func remove(_ slot: Int) {
    slots[slot] = nil
    backlog.remove(slot)
  }

  /// All pipelines, and the slots that they are in.
  var pipelines: [(slot: Int, pipeline: Pipeline)] {
    slots.enumerated().compactMap { slot, pipeline in pipeline.map { (slot, $0) } }
  }
}

// MARK: - Coming and going

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
        try take(node, now: monotonicNow())
      } catch DeviceError.gone {
        // Unplugged just now, most likely: then udev tells when it is back.
        _ = retries.add(node, now: monotonicNow())
      } catch let error as DeviceError {
        log.error("\(error)")
        _ = retries.add(node, now: monotonicNow())
        refused = error
      }
    }
    guard slots.contains(where: { $0 != nil }) else {
      // Not one of the devices that are there may be used: more of them will not help.
      if let refused { throw refused }
      log.notice("no keyboard found; waiting for one to be plugged in")
      return
    }
  }

  /// Takes the node if it is one to take.
  func take(_ node: DeviceNode, now: Microseconds) throws {
    guard !isStopping,
      !slots.contains(where: { $0?.node.id == node.id && $0?.isClosed == false })
    else { return }
    let effective: EffectiveSettings
    switch options.selection.decide(on: node, by: configuration.settings) {
    case .take(let settings):
      effective = settings
      leftAlone[node.id] = nil
    case .leave(let reason):
      return sayThatLeftAlone(node, because: reason)
    }
    let pipeline = try Pipeline(
      node: node, settings: effective, recording: nextRecording, log: log, now: now)
    readEarlierCounts(of: pipeline)
    try add(pipeline)
    recordings += 1
    retries.forget(node.id)
  }

  /// Takes the node if it is one to take; if it cannot be taken now, perhaps later.
  private func tryToTake(_ node: DeviceNode, now: Microseconds) {
    do {
      try take(node, now: now)
    } catch DeviceError.gone {
      // Plugged in and out again, faster than udev tells. The removal is on its way.
      retries.forget(node.id)
    } catch {
      if retries.add(node, now: now) { log.error("\(error)") }
      loop.wake(at: retries.deadline)
    }
  }

  /// Tries to take what could not be taken before.
  func retry(now: Microseconds) {
    for node in retries.takeDue(at: now) { tryToTake(node, now: now) }
    loop.wake(at: retries.deadline)
  }

  /// Says why a device is left alone that one might expect to be taken. Once: udev tells of devices again and again.
  private func sayThatLeftAlone(_ node: DeviceNode, because reason: String) {
    guard options.selection.isExpected(toTake: node), leftAlone[node.id] != reason else { return }
    leftAlone[node.id] = reason
    log.notice("“\(node.name)” (\(node.path)): left alone: \(reason)")
  }

  func hear(_ change: Monitor.Change, now: Microseconds) {
    switch change {
    case .present(let node):
      if let (slot, pipeline) = pipelines.first(where: { $0.pipeline.isClone(node) }) {
        pipeline.cloneAnnounced(now: now)
        settle(pipeline, in: slot)
        return
      }
      renew(node)
      tryToTake(node, now: now)
    case .removed(let id):
      leftAlone[id] = nil
      retries.forget(id)
      guard
        let (slot, pipeline) = pipelines.first(where: {
          $0.pipeline.node.id == id && !$0.pipeline.isClosed
        })
      else { return }
      pipeline.unplugged(now: now)
      settle(pipeline, in: slot)
    case .overrun:
      log.notice("devices came and went faster than was heard of them; looking around anew")
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

  /// Takes note of what udev knows by now of a device that is held: its links, and what rules say of it.
  func renew(_ node: DeviceNode) {
    pipelines.first { $0.pipeline.node.id == node.id }?.pipeline.node = node
  }

  /// Compares what there is with what was known, after news was lost.
  private func lookAround(now: Microseconds) {
    guard let nodes = nodesIfKnown() else { return }
    for (slot, pipeline) in pipelines where !nodes.contains(where: { $0.id == pipeline.node.id }) {
      pipeline.unplugged(now: now)
      settle(pipeline, in: slot)
    }
    for node in nodes { hear(.present(node), now: now) }
  }

  /// The file for the next device's recording: `FILE`, then `FILE.2`, `FILE.3` …
  private var nextRecording: String? {
    options.recording.map { recordings == 0 ? $0 : "\($0).\(recordings + 1)" }
  }
}

// MARK: - Letting go

extension Daemon {
  /// Lets go of every device at once.
  private func panic() {
    log.warning("the panic chord was held: letting go of every keyboard")
    end = .panic
    isStopping = true
    let now = monotonicNow()
    for (slot, pipeline) in pipelines {
      pipeline.letGo(now: now)
      settle(pipeline, in: slot)
    }
  }

  /// Lets go of every device because the daemon cannot go on.
  func letGo() {
    let now = monotonicNow()
    for (slot, pipeline) in pipelines {
      pipeline.letGo(now: now)
      settle(pipeline, in: slot)
    }
    // No loop keeps the clones any more until their readers have had the last releases.
    usleep(UInt32(Lifecycle.Pause.closing))
  }

  func stop(now: Microseconds) {
    if !isStopping { log.notice("stopping") }
    isStopping = true
    for (slot, pipeline) in pipelines {
      pipeline.leave(now: now)
      settle(pipeline, in: slot)
    }
  }
}
