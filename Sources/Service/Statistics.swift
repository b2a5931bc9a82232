import CLinux
import Debounce
import Glibc
import Logging
import Status
import Synchronization
import SystemPackage

/// What was counted and learned of the devices, kept while they are unplugged and while the daemon does not run.
///
/// Files are read and written by a thread of their own: a disk may take its time, a key may not. So may the kernel when
/// devices are closed, which that thread does, too.
final class Statistics {
  /// What was counted and learned of a device before; `nil` if it was never seen.
  struct Earlier: Sendable {
    let device: CountedDevice
    let counts: StoredCounts?
    /// What was counted on which day; `nil` if that was never stored.
    let days: StoredDays?
  }

  /// Becomes readable when ``takeEarlier()`` or ``takeReading()`` has something to return. Owned by this object.
  let descriptor: CInt

  private let store: StatisticsStore
  private let log: Logger
  /// One after the other: what is still being written is there before it is read.
  let worker = Worker()
  private let earlier = Mailbox<Earlier>()
  private let readings = Mailbox<LiveConfiguration.Reading>()
  /// What has been logged of files: a device that is plugged in again is not news.
  private let reported = Reported()
  /// How much is being read, or waits to be taken.
  private var reading = 0

  init(folder: String?, log: Logger) throws(Errno) {
    store = StatisticsStore(folder: folder)
    self.log = log
    descriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
  }

  deinit {
    finish()
    close(descriptor)
  }

  /// Whether anything is kept at all.
  var isKept: Bool { store.folder != nil }

  /// Whether something is being read, or waits to be taken.
  var isReading: Bool { reading > 0 }

  /// Begins to read what was counted of the device before.
  func read(_ device: CountedDevice) {
    reading += 1
    add { [store, log, reported, earlier, descriptor] in
      let found = store.counts(of: device)
      for problem in found.problems where reported.isNew("\(problem)") { log.warning("\(problem)") }
      earlier.put(Earlier(device: device, counts: found.counts, days: found.days))
      eventfd_write(descriptor, 1)
    }
  }

  private func add(_ work: @escaping @Sendable () -> Void) {
    if !worker.add(work) {
      log.warning("cannot start a thread to read and store counts: they wait in memory")
    }
  }

  /// What has been read.
  func takeEarlier() -> [Earlier] {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
    let taken = earlier.takeAll()
    reading -= taken.count
    return taken
  }

  /// Keeps what was counted and learned of the device so far.
  func keep(_ counts: StoredCounts, of device: CountedDevice) {
    guard isKept, !counts.keys.isEmpty else { return }
    add { [store, log] in
      do {
        try store.store(counts, of: device)
      } catch {
        log.warning("\(error)")
      }
    }
  }

  /// Keeps what was counted on a day that is over.
  func keep(_ turn: DayTally.Turn, of device: CountedDevice) {
    guard isKept else { return }
    add { [store, log] in
      do {
        try store.changeDays(of: device) { days in
          days.add(turn.counts, on: turn.day, today: turn.next.day)
          days.beginning = turn.next
        }
      } catch {
        log.warning("\(error)")
      }
    }
  }

  /// Reads what was counted on each day, for somebody who asks.
  ///
  /// - Parameters:
  ///   - device: `nil` if nothing is kept of it.
  ///   - pending: What is not stored yet.
  ///   - answer: Called on the thread that reads, with ``StoredDays/text``.
  func readDays(
    of device: CountedDevice?, adding pending: [Day: KeyDays], today: Day,
    answer: @escaping @Sendable (String) -> Void
  ) {
    add { [store] in
      var read = device.flatMap { store.days(of: $0).days } ?? StoredDays()
      for (day, counts) in pending { read.add(counts, on: day, today: today) }
      read.beginning = nil
      answer(read.text)
    }
  }

  /// Reads the configuration anew; ``takeReading()`` returns what was read.
  func read(_ files: LiveConfiguration.Files) {
    let work: Worker.Work = { [readings, descriptor] in
      readings.put(files.read())
      eventfd_write(descriptor, 1)
    }
    // Where there is no thread for it, at once.
    if !worker.add(work) { worker.finish() }
  }

  func takeReading() -> LiveConfiguration.Reading? { readings.takeAll().last }

  /// Forgets what was counted and learned of a key, or of the whole device.
  ///
  /// - Parameter done: Called when that is done, on the thread that does it.
  func reset(_ key: KeyCode?, of device: CountedDevice?, done: @escaping @Sendable () -> Void) {
    guard isKept, let device else { return done() }
    add { [store, log] in
      defer { done() }
      do {
        try store.reset(key, of: device)
      } catch {
        log.warning("\(error)")
      }
    }
  }

  /// Waits until everything is kept.
  func finish() {
    if isKept { worker.finish() }
  }
}

/// What one thread leaves for another.
private final class Mailbox<Letter: Sendable>: Sendable {
  private let letters = Mutex<[Letter]>([])

  func put(_ letter: Letter) {
    letters.withLock { $0.append(letter) }
  }

  func takeAll() -> [Letter] {
    letters.withLock { letters in
      defer { letters = [] }
      return letters
    }
  }
}

/// What has been said, so that it is said once.
private final class Reported: Sendable {
  private let said = Mutex<Set<String>>([])

  func isNew(_ text: String) -> Bool {
    said.withLock { $0.insert(text).inserted }
  }
}
