import Configuration
import Debounce
import EventDevices
import Recording
import SystemPackage

/// The path of a device's events: the source is read, the engine decides, the clone is written.
///
/// One owner for all that is touched for every frame, so that a frame costs one access to it and not one to each part.
struct EventPath: ~Copyable {
  enum Step {
    /// A frame was read, and forwarded if that was asked for.
    case frame
    /// Events had been lost before they were read; the clone has been brought to the keys' present state. `panics` if all
    /// keys of the panic chord are down.
    case resynchronisation(panics: Bool)
    /// A frame was forwarded after which all keys of the panic chord are down.
    case panic
    case end
    case gone
  }

  private(set) var source: Source
  private(set) var writer: CloneWriter
  private(set) var engine: Debouncer
  private(set) var panicChord: PanicChord
  /// `nil` if nobody listens: what nobody listens to costs nothing.
  private var listeners: Listeners?
  /// The last moment to which ``advance(to:)`` has brought the engine; frames bring it further.
  private(set) var advanced = Instant.longAgo
  /// Whether the keys' state is to be compared when the source has been read to its end.
  private var isInDoubt = false

  /// Whether settings that were adopted after the clone was made emit keys that it does not have.
  private var lacksKeys = false
  /// When a key last moved while nothing was forwarded, and other programs saw it.
  private(set) var lastMovePassedBy = Instant.longAgo
  private(set) var resynchronisations: UInt64 = 0

  init(
    from source: consuming Source, to clone: consuming Clone, _ recorder: consuming Recorder?,
    _ settings: EffectiveSettings
  ) {
    let keys = source.capabilities.keys
    panicChord = PanicKeyboard(with: keys).join(settings.panicChord)
    self.source = source
    writer = CloneWriter(to: clone)
    listeners = recorder == nil ? nil : Listeners(recorder)
    engine = Debouncer(settings.rules, upTo: keys.max() ?? 0)
    engine.reportsOutcomes = hasListeners
  }

  /// Closes the source and destroys the clone, as ``Clone/destroy()`` does. Nothing else may be done with the path afterwards.
  mutating func finish() {
    source.finish()
    writer.clone.destroy()
  }

  /// Whether no key is down, neither the device's nor the clone's, and none waits to be emitted, as far as events have been
  /// read.
  var isAtRest: Bool { engine.isAtRest && !keeps }

  /// Whether the clone lacks keys that the device has or the settings emit.
  var needsNewClone: Bool { source.hasNewKeys || lacksKeys }
}

// MARK: - Events

extension EventPath {
  /// Reads the next frame and takes it along the path.
  ///
  /// - Parameter forwarding: Whether what is read is decided and written. If not, it is dropped.
  /// - Throws: `DeviceError` if the clone cannot be written.
  mutating func step(forwarding: Bool) throws(DeviceError) -> Step {
    switch source.read() {
    case .frame:
      return forwarding ? try forwardFrame() : passBy(movesKeys: source.frame.movesKeys)
    case .resynchronised(let held):
      return forwarding ? try resynchronise(held: held) : passBy(movesKeys: true)
    case .nothing:
      try flush()
      guard isInDoubt else { return .end }
      isInDoubt = false
      guard let held = source.resynchroniseIfDifferent() else { return .end }
      return forwarding ? try resynchronise(held: held) : .frame
    case .gone:
      try? flush()
      return .gone
    }
  }

  /// Passes on what the source has sent, as the kernel has it, as far as that is motion in which there is nothing to decide.
  /// Most of what a mouse sends is so.
  ///
  /// - Returns: Whether that was all that was read. If not, ``step(forwarding:)`` takes the rest.
  /// - Throws: `DeviceError` if the clone cannot be written.
  @inline(__always)
  mutating func passMotion() throws(DeviceError) -> MotionTurn {
    guard listeners == nil, !lacksKeys, !source.hasNewKeys, !isInDoubt, engine.freeAxes != 0,
      var motion = source.readMotion(of: engine.freeAxes)
    else { return .other }
    var written: Instant?
    while true {
      let (first, last) = motion.times
      engine.passed(frameAt: first)
      if last > first { engine.passed(frameAt: last) }
      if let time = try writer.write(motion) { written = time }
      guard source.hasMore else { return .passed(at: written) }
      guard let next = source.takeMotion(of: engine.freeAxes) else { return .other }
      motion = next
    }
  }

  /// Takes the ``Step/end`` that ``step(forwarding:)`` would return, and returns whether it would.
  @inline(__always)
  mutating func takeEnd() -> Bool { !isInDoubt && source.takeEnd() }

  @inline(never)
  private mutating func passBy(movesKeys: Bool) -> Step {
    if movesKeys { lastMovePassedBy = Instant(source.frame.time) }
    return .frame
  }

  /// Whether frames are kept, of which ``step(forwarding:)`` takes one at a time.
  var keeps: Bool { source.keeps }

  mutating func keep() -> Source.Keeping { source.keep() }

  /// Receives that others have their turn before ``step(forwarding:)`` is called again.
  mutating func pauseReading() throws(DeviceError) {
    source.pauseReading()
    try flush()
  }

  private mutating func forwardFrame() throws(DeviceError) -> Step {
    listeners?.append(raw: source.frame)
    engine.process(source.frame)
    try addOutput()
    if !source.hasMore { try flush() }
    return panicChord.receive(source.frame) ? .panic : .frame
  }

  @inline(never)
  private mutating func resynchronise(held: KeySet) throws(DeviceError) -> Step {
    resynchronisations += 1
    let panics = panicChord.resynchronise(held: held)
    resynchronise(held: held, others: source.frame)
    try writeOutput()
    return .resynchronisation(panics: panics)
  }

  /// Forwards what is due by now. Frames that were sent before must have been read: their time stamps are what counts.
  mutating func advance(to now: Instant) throws(DeviceError) {
    advanced = now
    engine.advance(to: now.microseconds)
    try writeOutput()
  }

  /// Receives that the machine was asleep: the clock stood still, and keys may have moved unseen.
  ///
  /// Strokes that wait are decided now, because gaps and holds across the sleep mean nothing. Frames that were sent since are read
  /// as usual, and the keys' state is compared then.
  mutating func resynchroniseAfterSleep() throws(DeviceError) {
    resynchronise(held: engine.rawHeld, others: Frame(time: source.frame.time))
    isInDoubt = true
    try writeOutput()
    copyLEDsToSource()
  }

  private mutating func resynchronise(held: KeySet, others: Frame) {
    listeners?.append(resynchronisedTo: held, before: engine.rawHeld, others: others)
    engine.resynchronise(held: held, others: others)
  }

  private mutating func addOutput() throws(DeviceError) {
    listeners?.append(&engine.outcomes)
    guard !engine.output.isEmpty else { return }
    try engine.output.drain { (events, time) throws(DeviceError) in
      try writer.add(events, at: time)
      listeners?.append(clean: events, at: time)
      if source.hasNewKeys || lacksKeys { writer.keep(events) }
    }
  }

  private mutating func writeOutput() throws(DeviceError) {
    try addOutput()
    try flush()
  }

  @inline(__always)
  private mutating func flush() throws(DeviceError) {
    guard writer.clone.hasUnwritten else { return }
    try writer.write()
    if writer.clone.hasEcho { readFeedback() }
  }

  /// Writes what the clone is to get before anything else, just after the grab. If the clone does not take it, the grab ends.
  mutating func write(_ frames: [[Event]], at now: Instant) throws(DeviceError) {
    do {
      for events in frames { try writer.clone.write(events, at: now.microseconds) }
    } catch {
      source.ungrab()
      throw error
    }
  }
}

// MARK: - From the clone to the source

extension EventPath {
  /// Passes on to the source what applications have written to the clone, LEDs above all.
  mutating func readFeedback() {
    // The source may lack such an LED, or may just have gone.
    if writer.clone.readFeedback() { try? source.write(writer.clone.feedback) }
  }

  private mutating func copyLEDsToSource() {
    let leds = writer.clone.leds
    if !leds.isEmpty { try? source.write(Frame(time: monotonicNow(), leds)) }
  }
}

// MARK: - The grab

extension EventPath {
  /// - Parameter releasingKeys: Whether keys that are down are released for it.
  /// - Returns: Whether it is grabbed. If not, a key is down.
  /// - Throws: `DeviceError` if the source cannot be grabbed or the clone cannot be written; the source is not grabbed then.
  mutating func grab(releasingKeys: Bool, at now: Instant) throws(DeviceError) -> Bool {
    guard try releasingKeys ? source.grabReleasingKeys() : source.grabIfNoKeyIsDown() else {
      // A key may have moved that is up again by now.
      lastMovePassedBy = now
      return false
    }
    panicChord.resynchronise(held: KeySet())
    // While the source was not grabbed, programs may have set these on one of the two devices alone.
    writer.clone.setPace(of: source)
    let positions = source.positions
    if !positions.isEmpty { try write([positions], at: now) }
    copyLEDsToSource()
    return true
  }

  /// Releases the keys that the clone holds, and then ungrabs the source, also if the clone cannot be written.
  mutating func releaseKeysAndUngrab(at now: Instant) throws(DeviceError) {
    defer { source.ungrab() }
    while keeps { _ = try step(forwarding: true) }
    // The frame in hand may be later than the moment at which the loop woke.
    let now = max(now, Instant(source.frame.time))
    // Deadlines before the end are dealt with before it, however late that is.
    try advance(to: now)
    listeners?.appendClosing(at: now.microseconds)
    engine.close(at: now.microseconds)
    try writeOutput()
    source.ungrab()
    // Keys that were pressed since the last read go out as taps, because others see the releases at most. The taps are
    // neither debounced nor recorded: the engine has ended.
    for key in source.takeUnreadPresses() {
      for isDown in [true, false] {
        try writer.clone.write([.key(key, down: isDown)], at: now.microseconds)
      }
    }
  }

  /// Ungrabs the source, and drops what is kept. Returns how many presses that were.
  mutating func ungrab() -> Int {
    defer { source.ungrab() }
    return source.dropKept()
  }
}

// MARK: - Settings and counts

extension EventPath {
  /// Adopts new rules: for each key as soon as it is idle.
  mutating func adopt(_ rules: Rules) {
    engine.adopt(rules)
    lacksKeys = !rules.meantKeys.isSubset(of: writer.clone.keys)
  }

  /// Adopts another panic chord, which holds at once.
  mutating func adopt(_ chord: PanicChord) {
    chord.resynchronise(held: engine.rawHeld)
    panicChord = chord
  }

  /// Passes everything on as it is from now on, or no longer: for each key as soon as it is idle.
  mutating func setPaused(_ isPaused: Bool) {
    guard isPaused != engine.isPaused else { return }
    if isPaused { engine.pause() } else { engine.resume() }
    let time = decidedUpTo
    listeners?.tell { $0.append(isPaused: isPaused, at: time) }
  }

  mutating func add(_ counts: KeyCounts, of key: KeyCode) {
    engine.add(counts, of: key)
  }

  /// Goes on from what was learned earlier, unless a frame was decided on before. Returns whether it does.
  mutating func install(_ habits: LearnedHabits) -> Bool {
    guard engine.install(habits) else { return false }
    listeners?.append(habits)
    return true
  }

  /// Drops what was counted and learned of a key, or of all. Strokes in hand go on as they began.
  mutating func reset(_ key: KeyCode?) {
    if let key { engine.reset(key) } else { engine.reset() }
    let time = decidedUpTo
    listeners?.tell { $0.appendReset(of: key, at: time) }
  }

  /// The time of a line in a recording that separates what has been decided from what comes.
  private var decidedUpTo: Microseconds { max(advanced.microseconds, source.frame.time - 1) }
}

/// Those who listen to the path: a recording, and clients who watch.
extension EventPath {
  var hasListeners: Bool { listeners != nil }

  mutating func flushListeners() throws {
    defer {
      if listeners?.isEmpty == true { listeners = nil }
      engine.reportsOutcomes = hasListeners
    }
    let time = lastMoment
    try listeners?.flush(held: engine.rawHeld, at: time)
  }

  mutating func addWatcher(at socket: FileDescriptor, now: Instant) -> Bool {
    if listeners == nil { listeners = Listeners() }
    engine.reportsOutcomes = true
    let time = max(now.microseconds, lastMoment)
    return listeners?.add(
      socket, RecordedDevice(source.identity, source.capabilities), engine.habits,
      held: engine.rawHeld, at: time)
      ?? false
  }

  mutating func endWatching(at now: Instant) {
    let time = max(now.microseconds, lastMoment)
    listeners?.endWatching(at: time)
  }

  private var lastMoment: Microseconds { max(advanced.microseconds, source.frame.time) }
}
