import CLinux
import Debounce
import Glibc

/// Memory that reading settings and taking devices needs, and typing does not: most of the program. It is given back
/// to the system once, when that is done. What typing needs must be fetched again at once
/// (``Rehearsal``), or else the next key would wait for it.
struct UnusedMemory {
  /// For how long nothing must have happened: giving it back takes a while, and no key should wait for that.
  private static let quiet: Microseconds = 1_000_000

  /// When ``checkDue(now:lastEvent:)`` must be called at the latest.
  private(set) var deadline: Instant

  /// Begins with what starting has needed.
  init(now: Instant) {
    // What is large, such as an engine's keys, gets pages of its own. A page that was never used takes no memory: that is most of
    // the room for every key's counts. All of them go back to the system when they are freed. Otherwise malloc would take them
    // from its heap once one was freed, with whatever was written there before.
    mallopt(M_MMAP_THRESHOLD, 64 * 1024)
    // Room that several engines have side by side is larger than 2 MiB. Filled by pages of that size, most of which nobody
    // uses, it would take all of that. Where the kernel knows no such pages there is nothing to refuse.
    _ = clinux_refuse_huge_pages()
    // Nor does the worker's thread, which stores counts now and then, need a heap of its own.
    mallopt(M_ARENA_MAX, 1)
    deadline = now + Self.quiet
  }

  /// Receives that something has just been done that needs such memory. More may follow.
  mutating func appears(now: Instant) {
    deadline = now + Self.quiet
  }

  /// Whether to give it back now.
  ///
  /// - Parameter lastEvent: When a device last had something to read.
  mutating func checkDue(now: Instant, lastEvent: Instant) -> Bool {
    guard deadline <= now else { return false }
    let isQuiet = lastEvent + Self.quiet <= now
    // When it will have been quiet for long enough if no more keys come.
    deadline = isQuiet ? .never : lastEvent + Self.quiet
    return isQuiet
  }

  func giveBack() {
    malloc_trim(0)
    clinux_forget_program_pages()
  }
}

/// What a key will need of the program, used once before a key comes: otherwise the first key after ``UnusedMemory`` was
/// given back would wait until the kernel has fetched it again.
///
/// Made before memory is given back, and kept afterwards: to make or to free an engine takes more of the program than it
/// takes to run one.
struct Rehearsal {
  /// The device that the next key may come from.
  let device: DeviceID

  private var engine: Debouncer

  /// - Parameter rules: The device's, so that the same strategies run.
  init(of device: DeviceID, rules: Rules) {
    self.device = device
    engine = Debouncer(rules)
  }

  /// Runs a stroke of `KEY_A` whose contact bounces through the engine, and drops what comes out.
  ///
  /// - Returns: How many frames came out.
  @discardableResult
  mutating func playStroke() -> Int {
    // Held for longer than `slow-keys` can ask for.
    let edges: [(Microseconds, Bool)] = [
      (0, true), (3000, false), (6000, true), (3_000_000, false),
    ]
    for (time, isDown) in edges {
      let frame = Frame(time: time, [.scan(30), .key(30, down: isDown)])
      engine.process(frame)
    }
    engine.advance(to: 6_000_000)
    defer { engine.output.removeAll() }
    return engine.output.count
  }
}
