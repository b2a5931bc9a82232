import CLinux
import Debounce
import Glibc
import Logging
import Status
import Synchronization
import SystemPackage

/// What was counted of the devices, kept while they are unplugged and while the daemon does not run.
///
/// Files are read and written by a thread of their own: a disk may take its time, a key may not. So may the kernel when
/// devices are closed, which that thread does, too.
final class Statistics {
  /// How long counts may stay in memory alone: so much is lost with a crash.
  private static let interval: Microseconds = 600_000_000

  /// What was counted of a device before.
  struct Earlier: Sendable {
    let device: CountedDevice
    let keys: [KeyStatus]
  }

  /// Becomes readable when ``takeEarlier()`` has something to return. Owned by this object.
  let descriptor: CInt

  private let store: StatisticsStore
  private let log: Logger
  /// One after the other: what is still being written is there before it is read.
  let worker = Worker()
  private let earlier = Mailbox<Earlier>()
  private var nextKeep: Instant?

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

  /// Begins to read what was counted of the device before.
  func read(_ device: CountedDevice) {
    add { [store, log, earlier, descriptor] in
      var keys: [KeyStatus] = []
      do {
        keys = try store.counts(of: device)
      } catch {
        log.warning("\(error)")
      }
      earlier.put(Earlier(device: device, keys: keys))
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
    return earlier.takeAll()
  }

  /// Keeps what was counted of the device's keys so far.
  func keep(_ keys: [KeyStatus], of device: CountedDevice) {
    guard isKept, !keys.isEmpty else { return }
    add { [store, log] in
      do {
        try store.store(keys, of: device)
      } catch {
        log.warning("\(error)")
      }
    }
  }

  /// Whether it is time to keep all counts. Asked when there is something to do anyway; nothing wakes up for it.
  func isTimeToKeep(at now: Instant) -> Bool {
    let isTime = nextKeep.map { $0 <= now } ?? false
    if isTime || nextKeep == nil { nextKeep = now + Self.interval }
    return isTime
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
