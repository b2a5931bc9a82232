import Configuration
import Control
import Debounce
import Dispatch
import Logging
import SystemPackage

/// Two threads for work that may take its time, because keys may not wait for it. One reads and stores counts and habits, and reads
/// settings, one thing after the other. The other closes devices.
final class Background {
  enum Found: Sendable {
    case earlier(CountedDevice, StatisticsStore.Earlier)
    /// Settings that were read, and the calls that wait for them.
    case settings(LiveConfiguration.NewSettings, for: [ControlledCall])
  }

  private let store: StatisticsStore
  private let log: Logger
  /// The worker does one thing after the other, so that a file that is still being written is whole before it is read.
  private let worker: Worker
  /// The worker that closes devices. When a hub is reset, that takes seconds. What was learned of its devices must be read before
  /// their first frames, which are kept for a second at most.
  private let closer: Worker
  private let found: Mailbox<Found>
  /// Problems of files that were logged. Each is logged once, also where the device is plugged in again.
  private var reported: Set<String> = []
  /// How many devices' files are being read, or wait to be taken.
  private var reading = 0

  /// Mailboxes to which the work writes must be made before: the thread does not see descriptors that are opened later.
  init(folder: String?, log: Logger) throws(Errno) {
    store = StatisticsStore(folder: folder)
    self.log = log
    found = try Mailbox()
    // Closing a device must close it for all threads.
    (worker, closer) = (try Worker(mayHang: true), try Worker())
  }

  /// Becomes readable when ``takeFound()`` has something to return.
  var descriptor: CInt { found.descriptor }

  var isKept: Bool { store.folder != nil }

  /// Whether far more work waits than a healthy disk leaves waiting. Devices then keep their counts, and store them when the disk
  /// has caught up.
  var isBehind: Bool { worker.count > 256 }

  /// Whether a device's files are being read, or wait to be taken.
  var isReading: Bool { reading > 0 }

  /// Begins to read what was counted of the device before.
  func read(_ device: CountedDevice) {
    reading += 1
    add { [found] store in found.put(.earlier(device, store.counts(of: device))) }
  }

  /// Has something done on the thread, with the files of counts. What fails there is logged.
  func add(_ work: @escaping @Sendable (StatisticsStore) throws -> Void) {
    worker.add { [store, log] in
      do { try work(store) } catch { log.warning("\(error)") }
    }
  }

  /// Has a device closed. Nothing else waits for it.
  func close(_ work: @escaping Worker.Work) { closer.add(work) }

  /// Has what was stored of a device dropped, or of one of its keys, and answers the call that asks for it.
  func reset(_ key: KeyCode?, of device: CountedDevice, for call: ControlledCall) {
    add { store in
      do {
        try store.reset(key, of: device)
      } catch {
        call.refuse(.notStored, "\(error)")
        throw error
      }
      call.answer()
    }
  }

  func takeFound() -> [Found] {
    let all = found.takeAll()
    for case .earlier(_, let earlier) in all {
      reading -= 1
      for problem in earlier.problems.map(\.description) where reported.insert(problem).inserted {
        log.warning("\(problem)")
      }
    }
    return all
  }

  /// Begins to read the configuration anew.
  func read(_ places: ConfigurationPlaces, for calls: [ControlledCall]) {
    add { [found] _ in
      let new = Result { () throws(ConfigurationErrors) in
        try LoadedSettings(readingFrom: places)
      }
      found.put(.settings(new, for: calls))
    }
  }

  /// Waits until everything is kept and closed, or until the limit. The process may end then, whatever the disk does.
  func finish(by limit: DispatchTime = .distantFuture) {
    if isKept, !worker.finish(by: limit) {
      log.warning("the disk is too slow: what was counted last is not stored")
    }
    closer.finish(by: limit)
  }
}
