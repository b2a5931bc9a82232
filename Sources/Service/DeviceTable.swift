import Configuration
import Debounce
import EventDevices
import Logging
import SystemPackage

/// The outcome of a device's turn in which its motion was to be passed on.
enum MotionTurn {
  /// All that the device has sent was motion, and was passed on, at that time if it is known.
  case passed(at: Instant?)
  /// Something else is to be done: ``Pipeline/takeTurn(now:)`` must be called.
  case other
}

/// The devices that the daemon has taken, from their opening to the end of their clones.
///
/// The only way to a device is ``update(_:_:)``, which follows up on whatever was done with it. So nobody can forget a wake-up that
/// is needed, a line for those who watch, or counts to be stored.
final class DeviceTable {
  /// A device that is to be taken anew, and what its clone did not take.
  typealias Recreation = (node: DeviceNode, kept: KeptEvents)

  /// The device in each slot; `nil` where a slot is empty.
  private var slots: [Entry?] = []
  /// The generation of the device that was added last.
  private var lastGeneration: UInt32 = 0
  /// How many devices have more to read than they were given time for.
  private var countBehind = 0
  private let loop: EventLoop
  private let background: Background
  private let log: Logger

  private var recreations: [Recreation] = []

  /// Whether the daemon is about to end, because a signal or the panic chord wants that.
  private(set) var isEnding = false
  /// Devices whose time has been over since then. The kernel closes them when the process ends.
  private var ended: [Entry] = []

  /// Whether a device has come, gone, or changed what root's `status` shows, since the daemon last dealt with that.
  var hasNews = false
  /// Whether the panic chord was held. Every device has been let go then.
  private(set) var hasPanicked = false

  init(loop: EventLoop, background: Background, log: Logger) {
    (self.loop, self.background, self.log) = (loop, background, log)
  }

  var isEmpty: Bool { slots.allSatisfy { $0 == nil } }

  var areSettled: Bool { first { $0.lifecycle.isPreparing } == nil }

  var isBehind: Bool { countBehind > 0 }

  func takeRecreations() -> [Recreation] { exchange(&recreations, with: []) }

  /// Whether there is news, or ``takeRecreations()`` has something to return.
  var havePendingWork: Bool { hasNews || !recreations.isEmpty }

  func add(_ device: consuming Pipeline) throws(DeviceError) {
    let slot = slots.firstIndex { $0 == nil } ?? slots.count
    let id = DeviceID(slot: slot, generation: lastGeneration &+ 1)
    do {
      try loop.add(device.path.source.descriptor, as: .source(id))
      if let descriptor = device.path.writer.clone.feedbackDescriptor {
        try loop.add(descriptor, as: .clone(id))
      }
    } catch {
      throw .system(operation: "listen to", path: device.node.path, error)
    }
    let entry = Entry(device, id: id)
    lastGeneration = id.generation
    if slot == slots.count { slots.append(nil) }
    slots[slot] = entry
    hasNews = true
    followUp(entry)
  }
}

// MARK: - Access

extension DeviceTable {
  /// The device of that name; `nil` if it is gone.
  private subscript(id: DeviceID) -> Entry? {
    guard id.slot < slots.count, let entry = slots[id.slot], entry.id == id else { return nil }
    return entry
  }

  /// The devices in the order of their slots. Allocates: not to be used for every event.
  private var present: [Entry] { slots.compactMap(\.self) }

  /// - Returns: What `body` returns; `nil` if the device is gone.
  @discardableResult
  func update<Result>(_ id: DeviceID, _ body: (inout Pipeline) -> Result) -> Result? {
    guard let entry = self[id] else { return nil }
    defer { followUp(entry) }
    return body(&entry.device)
  }

  func updateAll(_ body: (inout Pipeline) -> Void) {
    for entry in present {
      body(&entry.device)
      followUp(entry)
    }
  }

  func first(where predicate: (borrowing Pipeline) -> Bool) -> DeviceID? {
    present.first { predicate($0.device) }?.id
  }

  func compactMap<Result>(_ transform: (borrowing Pipeline) -> Result?) -> [Result] {
    present.compactMap { transform($0.device) }
  }

  @inline(__always)
  private func followUp(_ entry: Entry) {
    entry.device.flushListeners()
    if entry.device.hasNews { followUpNews(entry) }
    entry.deadline = entry.device.deadline
    loop.wake(at: entry.deadline)
  }

  @inline(never)
  private func followUpNews(_ entry: Entry) {
    entry.device.hasNews = false
    hasNews = true
    if entry.device.isClosed { close(entry) }
    if entry.device.hasPanicked, !hasPanicked { panic() }
  }

  /// Listens no more to a device whose source is done with, and stores what was counted.
  private func close(_ entry: Entry) {
    if entry.isListenedTo {
      if let recreation = entry.device.recreation { recreations.append(recreation) }
      entry.isListenedTo = false
      loop.remove(entry.device.path.source.descriptor)
    }
    setBehind(entry, false)
    entry.device.storeCounts(in: background)
  }

  private func panic() {
    hasPanicked = true
    end()
    log.about(.panicChord).warning("the panic chord was held: letting go of every keyboard")
    let now = Instant.now
    updateAll { $0.letGo(now: now) }
  }
}

// MARK: - Events and time

extension DeviceTable {
  /// Passes on a device's motion, and waits for more, until there is something to decide, or something else happens.
  ///
  /// A mouse has a loop of its own, because looking the device up for each frame, and retaining it, is a good part of what a
  /// mouse costs.
  ///
  /// - Parameters:
  ///   - id: The device whose source has sent something, and nothing else has happened.
  ///   - goesOn: Called now and then with the time at which something was passed on. Returns whether there is nothing else to
  ///     do.
  /// - Returns: How many things the loop has found that are still to be dealt with.
  /// - Throws: `Errno` if the loop fails.
  @inline(__always)
  func passMotion(of id: DeviceID, while goesOn: (Instant) -> Bool) throws(Errno) -> Int {
    self[id]?.device.path.source.sendsMotion == true ? try passOn(motionOf: id, while: goesOn) : 1
  }

  @inline(never)
  private func passOn(
    motionOf id: DeviceID, while goesOn: (Instant) -> Bool
  ) throws(Errno) -> Int {
    guard let entry = self[id] else { return 1 }
    while case .passed(let time) = entry.device.passMotion() {
      if let time, !goesOn(time) { return 0 }
      let count = try loop.wait(untilReady: true)
      guard count == 1, loop.source(at: 0) == id else { return count }
    }
    return 1
  }

  func readSource(of id: DeviceID, now: Instant) {
    if let entry = self[id] { readSource(of: entry, now: now) }
  }

  /// Reads on where there was not time enough for all.
  func readBacklog(now: Instant) {
    for slot in slots.indices {
      if let entry = slots[slot], entry.isBehind { readSource(of: entry, now: now) }
    }
  }

  /// Does what is due by now with every device, and removes those that have ended.
  func advance(to now: Instant) {
    for slot in slots.indices {
      guard let entry = slots[slot] else { continue }
      if entry.deadline > now {
        loop.wake(at: entry.deadline)
      } else if entry.device.lifecycle.hasEnded(at: now) {
        remove(entry)
      } else {
        // Events from before the deadline may still be unread.
        readSource(of: entry, now: now)
      }
    }
  }

  /// Removes a device whose time is over.
  private func remove(_ entry: Entry) {
    if let descriptor = entry.device.path.writer.clone.feedbackDescriptor {
      loop.remove(descriptor)
    }
    slots[entry.id.slot] = nil
    guard !isEnding else { return ended.append(entry) }
    // Nobody else can reach it any more. Other devices would stand still while it is closed: see `Clone.destroy`.
    nonisolated(unsafe) let removed = entry
    background.close { removed.device.path.finish() }
  }

  /// Receives that the daemon ends, as soon as all devices are closed. They then go with the process: nothing that is
  /// to be stored waits for them.
  func end() { isEnding = true }

  /// How many devices go with the process.
  var countOfEnded: Int { ended.count }

  /// Receives that the machine was asleep. What was sent meanwhile is read next.
  func hasSlept(now: Instant) {
    for entry in present {
      entry.device.hasSlept(now: now)
      if !entry.device.lifecycle.isClosed { setBehind(entry, true) }
      followUp(entry)
    }
  }

  private func readSource(of entry: Entry, now: Instant) {
    setBehind(entry, entry.device.takeTurn(now: now))
    followUp(entry)
  }

  private func setBehind(_ entry: Entry, _ isBehind: Bool) {
    guard isBehind != entry.isBehind else { return }
    entry.isBehind = isBehind
    countBehind += isBehind ? 1 : -1
  }
}

/// The name of a device while it is in the table. A later device may get the slot, but with another generation: what is meant for
/// the earlier device does not reach it.
struct DeviceID: Hashable, Sendable {
  let slot: Int
  let generation: UInt32
}

private final class Entry {
  let id: DeviceID
  var device: Pipeline
  /// When the device must have its turn at the latest.
  var deadline = Instant.never
  /// Whether its source may have more to read than it was given time for.
  var isBehind = false
  /// Whether the loop listens to its source.
  var isListenedTo = true

  init(_ device: consuming Pipeline, id: DeviceID) {
    self.device = device
    self.id = id
  }
}
