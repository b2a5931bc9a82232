import CLinux
import Configuration
import Debounce
import Dispatch
import EventDevices
import Glibc
import Logging
import Status
import SystemPackage

/// The files that keep what was counted and learned of each device while it, or the daemon, is gone.
///
/// Each device has a file in the state directory, up to a number of devices. It holds counts, what is usual, and which
/// switches are bad: no times and no order. Only the daemon's own user may read it. Beside it is a file with its days.
///
/// A file is whole at any time: a new one takes its place. One that is damaged, or that a newer version has written, stays as it
/// is, and ours stands beside it.
struct StatisticsStore: Sendable {
  /// How many devices are remembered. The ones that were not seen for longest are forgotten.
  private static let mostFiles = 64

  /// The folder; `nil` to remember nothing.
  let folder: FilePath?

  init(folder: String?) {
    self.folder = folder.map { FilePath($0) }
  }

  struct Earlier: Sendable {
    /// `nil` if it was never seen.
    var counts: StoredCounts?
    /// What was counted on each day; `nil` if that was never stored.
    var days: StoredDays?
    var problems: [StatisticsError] = []
  }

  func counts(of device: CountedDevice) -> Earlier {
    let counts = find(StoredCounts.self, of: device)
    let days = days(of: device)
    return Earlier(
      counts: counts.contents, days: days.contents, problems: counts.problems + days.problems)
  }

  func days(of device: CountedDevice) -> Found<StoredDays> { find(StoredDays.self, of: device) }

  /// Writes down what was counted and learned, in place of what was known of the device.
  func store(_ counts: StoredCounts, of device: CountedDevice) throws(StatisticsError) {
    guard let folder, try change(of: device, { $0 = counts }) else { return }
    unlinkOlderBeside(of: device)
    forgetOldest(in: folder)
  }

  func keep(_ turn: DayTally.Turn, of device: CountedDevice) throws(StatisticsError) {
    try changeDays(of: device) { days in
      days.add(turn.counts, on: turn.day, today: turn.next.day)
      days.beginning = turn.next
    }
  }

  /// Changes what is kept of the device's days.
  func changeDays(
    of device: CountedDevice, _ change: (inout StoredDays) -> Void
  ) throws(StatisticsError) {
    _ = try self.change(of: device) { (stored: inout StoredDays?) in
      var days = stored ?? StoredDays()
      change(&days)
      stored = days
    }
  }

  /// Forgets what was counted and learned of a key, its days, too; of all, and of the device, if it is `nil`. The rest
  /// stays as it was last stored.
  func reset(_ key: KeyCode?, of device: CountedDevice) throws(StatisticsError) {
    try reset(StoredDays.self, key, of: device)
    unlinkOlderBeside(of: device)
    try reset(StoredCounts.self, key, of: device)
  }

  /// Deletes what earlier versions wrote beside a file that they could not use: nobody reads it any more.
  private func unlinkOlderBeside(of device: CountedDevice) {
    guard let folder else { return }
    for format in 1..<StoredCounts.presentFormat {
      unlink(folder.appending(device.fileName(StoredCounts.suffix, format: format)).string)
    }
  }

  /// Deletes the oldest files where there are too many. Those of newer versions stay.
  private func forgetOldest(in folder: FilePath) {
    var files: [(path: String, changed: Int)] = []
    for name in (try? entries(of: folder.string)) ?? []
    where name.hasSuffix(StoredCounts.suffix) && !name.hasPrefix(".") {
      let path = folder.appending(name).string
      var status = stat()
      if lstat(path, &status) == 0 { files.append((path, status.st_mtim.tv_sec)) }
    }
    for file in files.sorted(by: { $0.changed > $1.changed }).dropFirst(Self.mostFiles) {
      do {
        _ = try StoredCounts.read(FilePath(file.path))
      } catch is NewerFormat {
        continue
      } catch {}
      unlink(file.path)
      let days = file.path.dropLast(StoredCounts.suffix.count) + StoredDays.suffix
      if (try? StoredDays.read(FilePath(String(days)))) != nil { unlink(String(days)) }
    }
  }
}

/// What is done with either of a device's files.
extension StatisticsStore {
  /// What was found of a file.
  struct Found<Contents: StoredContents> {
    /// Where it is to be written; `nil` if nothing is kept.
    var place: FilePath?
    var contents: Contents?
    /// What stands in that place.
    var bytes: [UInt8]?
    /// What is left as it is because it cannot be used.
    var problems: [StatisticsError] = []
  }

  /// The file's place, and that beside it; none if nothing is kept.
  private func places<Contents: StoredContents>(
    of _: Contents.Type, _ device: CountedDevice
  ) -> [FilePath] {
    [nil, Contents.presentFormat].compactMap { format in
      folder?.appending(device.fileName(Contents.suffix, format: format))
    }
  }

  private func find<Contents: StoredContents>(
    _: Contents.Type, of device: CountedDevice
  ) -> Found<Contents> {
    let places = places(of: Contents.self, device)
    var found = Found<Contents>(place: places.first)
    for path in places {
      do {
        guard let (contents, bytes) = try Contents.read(path) else { continue }
        found.contents = contents
        // What stood beside another that is gone goes on in its place.
        if path == found.place { found.bytes = bytes }
        return found
      } catch {
        found.problems.append(
          (error as? NewerFormat).map {
            .newer(
              path: path, format: $0.format, ours: Contents.presentFormat, beside: places[1])
          } ?? .failed(operation: "read", path: path, reason: error))
        found.place = places[1]
      }
    }
    return found
  }

  /// Writes what `change` makes of what is kept. What is written already is not written again.
  ///
  /// - Returns: Whether it was written.
  private func change<Contents: StoredContents>(
    of device: CountedDevice, _ change: (inout Contents?) -> Void
  ) throws(StatisticsError) -> Bool {
    var found = find(Contents.self, of: device)
    guard let place = found.place else { return false }
    change(&found.contents)
    do {
      guard let bytes = try found.contents?.bytes() else { return false }
      guard bytes != found.bytes else {
        // It was seen all the same.
        utimensat(AT_FDCWD, place.string, nil, AT_SYMLINK_NOFOLLOW)
        return false
      }
      try WholeFile.replace(place.string, with: bytes, permissions: .ownerReadWrite)
    } catch {
      throw .failed(operation: "write", path: place, reason: error)
    }
    if found.problems.isEmpty, let beside = places(of: Contents.self, device).last {
      unlink(beside.string)
    }
    return true
  }

  /// Forgets a key in both places; deletes what stands there if it is `nil`.
  func reset<Contents: StoredContents>(
    _: Contents.Type, _ key: KeyCode?, of device: CountedDevice
  ) throws(StatisticsError) {
    for path in places(of: Contents.self, device) {
      guard var contents = try? Contents.read(path)?.contents else { continue }
      do {
        if let key {
          contents.reset(key)
          try WholeFile.replace(path.string, with: contents.bytes(), permissions: .ownerReadWrite)
        } else if unlink(path.string) != 0 {
          throw Errno(rawValue: errno)
        }
      } catch {
        throw .failed(operation: key == nil ? "delete" : "write", path: path, reason: error)
      }
    }
  }
}

/// Why counts could not be read or kept. The daemon goes on without.
enum StatisticsError: Error, CustomStringConvertible {
  case failed(operation: String, path: FilePath, reason: any Error)
  case newer(path: FilePath, format: Int, ours: Int, beside: FilePath)

  var description: String {
    switch self {
    case .failed(_, let path, let reason)
    where reason is DecodingError || reason is StoredDaysError:
      """
      cannot read the counts in \(path): the file is damaged. It is left as it is, and counting begins anew in a \
      file beside it; delete it if it is of no use
      """
    case .failed(let operation, let path, let reason):
      "cannot \(operation) the counts in \(path): \(reason)"
    case .newer(let path, let format, let ours, let beside):
      """
      the counts in \(path) are of a newer version of keydebounce (format \(format), not \(ours)): they are left as \
      they are, and counting goes on in \(beside)
      """
    }
  }
}

/// What a file of a device holds: its counts, or its days.
protocol StoredContents: Sendable {
  static var suffix: String { get }
  static var presentFormat: Int { get }

  /// - Throws: ``NewerFormat`` where a newer version has written the bytes.
  init(_ bytes: [UInt8]) throws
  func bytes() throws -> [UInt8]
  mutating func reset(_ key: KeyCode)
}

extension StoredContents {
  /// Reads the file at a path; `nil` if there is none.
  static func read(_ path: FilePath) throws -> (contents: Self, bytes: [UInt8])? {
    do {
      let bytes = try WholeFile.read(path.string, followsLink: false)
      return (try Self(bytes), bytes)
    } catch let error as FileError {
      if error.reason == .noSuchFileOrDirectory { return nil }
      throw error.reason
    }
  }
}

struct NewerFormat: Error {
  let format: Int
}

extension StoredCounts: StoredContents {
  private struct Format: Decodable {
    let format: Int
  }

  static var suffix: String { ".counts.json" }

  init(_ bytes: [UInt8]) throws {
    // A newer version may have the rest otherwise.
    let format = try StatusJSON.decode(Format.self, from: bytes).format
    guard format <= Self.presentFormat else { throw NewerFormat(format: format) }
    self = try StatusJSON.decode(StoredCounts.self, from: bytes)
  }

  func bytes() throws -> [UInt8] { try StatusJSON.encode(self) }

  mutating func reset(_ key: KeyCode) {
    keys.removeAll { $0.code == key }
  }
}

extension StoredDays: StoredContents {
  static var suffix: String { ".days" }

  init(_ bytes: [UInt8]) throws {
    do {
      try self.init(String(decoding: bytes, as: UTF8.self))
    } catch StoredDaysError.newer(let format) {
      throw NewerFormat(format: format)
    }
  }

  func bytes() -> [UInt8] { Array(text.utf8) }
}

/// What of a device's counts is of which day. The counts themselves only grow: a day's are what they grew by.
///
/// It receives the totals whenever they are published, and at no other time: what was typed in the last minute before
/// midnight may count as of the day after.
struct DayTally {
  /// A day that is over, and what had been counted when the next one began.
  struct Turn: Equatable, Sendable {
    var day: Day
    var counts: KeyDays
    var next: StoredDays.Beginning
  }

  /// When the day began that is not over.
  private(set) var beginning: StoredDays.Beginning
  /// The totals as they were received last.
  private var latest: KeyDays
  private(set) var isStored = false

  init(on day: Day = .today) {
    (beginning, latest) = (.init(day, [:]), [:])
  }

  /// Receives what was stored: the totals, and when their last day began; `nil` if that was not stored.
  mutating func add(_ totals: KeyDays, _ stored: StoredDays.Beginning?, on today: Day = .today) {
    latest = totals
    guard let stored else {
      // Counted by a version that did not know of days: on which, nobody knows.
      beginning = .init(today, totals)
      return
    }
    isStored = true
    // The totals may be those of before a crash, or have been dropped.
    beginning = .init(
      stored.day,
      totals.reduce(into: [:]) { limited, total in
        limited[total.key] = stored.totals[total.key]?.limited(to: total.value)
      })
  }

  /// Receives the totals as they are published.
  ///
  /// - Returns: What is to be stored: the day that has ended since the last time, or the beginning of the first.
  mutating func receive(_ totals: KeyDays, on today: Day) -> Turn? {
    defer { latest = totals }
    guard today != beginning.day else {
      guard !isStored, !totals.isEmpty else { return nil }
      isStored = true
      return Turn(day: today, counts: [:], next: beginning)
    }
    let ended = (day: beginning.day, counts: latest.since(beginning.totals))
    beginning = .init(today, latest)
    isStored = true
    return Turn(day: ended.day, counts: ended.counts, next: beginning)
  }

  /// What is not stored yet of each day.
  ///
  /// - Parameter totals: The totals as somebody may know them.
  func pending(_ totals: KeyDays, on today: Day) -> [Day: KeyDays] {
    guard today != beginning.day else { return [today: totals.since(beginning.totals)] }
    // Until the next snapshot.
    return [beginning.day: latest.since(beginning.totals), today: totals.since(latest)]
  }

  mutating func reset(_ key: KeyCode?, on today: Day = .today) {
    guard let key else {
      self = DayTally(on: today)
      return
    }
    beginning.totals[key] = nil
    latest[key] = nil
  }
}

/// The device that counts belong to, as they are stored: the same one wherever it is plugged in, and one of its nodes.
struct CountedDevice: Hashable {
  /// Its identity without what changes: the version, and where it is plugged in. Its `phys` is which of its nodes it is,
  /// as `input0`.
  private(set) var identity: DeviceIdentity

  init(_ identity: DeviceIdentity) {
    self.identity = identity
    self.identity.version = 0
    self.identity.phys = String(identity.phys?.split(separator: "/").last ?? "")
  }

  /// The name of one of its files.
  ///
  /// - Parameter format: Of which format it is, if it stands beside another that is a newer version's, or damaged.
  func fileName(_ suffix: String, format: Int? = nil) -> String {
    // The numbers, and a digest of what else distinguishes it from others (FNV-1a): names may hold anything, and be long.
    var digest: UInt64 = 0xcbf2_9ce4_8422_2325
    for text in [identity.name, identity.uniq ?? "", identity.phys ?? ""] {
      for byte in text.utf8 + [0] { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    let numbers = [identity.bus, identity.vendor, identity.product].map { $0.hexadecimal() }
    let stem = (numbers + [digest.hexadecimal(digits: 16)]).joined(separator: "-")
    return stem + (format.map { ".format-\($0)" } ?? "") + suffix
  }
}

/// What becomes of a device's counts when it is gone.
enum CountsStorage: Equatable {
  case notKept
  /// They will be kept as soon as it is known what was counted before.
  case awaitingEarlier(CountedDevice)
  case kept(CountedDevice)

  var device: CountedDevice? {
    switch self {
    case .notKept: nil
    case .awaitingEarlier(let device), .kept(let device): device
    }
  }
}

/// What the daemon knows of a device from before, besides its counts: since when, and what came too late to be used.
struct DeviceHistory {
  /// The day on which counting and learning began; `nil` if the version that began did not note it.
  private(set) var since: Day? = .today
  /// When keys became bad, of those that are.
  private var badSince: [KeyCode: Day] = [:]
  /// What was learned earlier, if it was read only when the device had begun to send: it is not used this time, and
  /// stays stored as it is.
  var unused: LearnedHabits?
  /// What of it is of which day.
  var days = DayTally()
  /// What was reset before it was known what had been stored.
  private var resetKeys: Set<KeyCode> = []

  /// The day on which the key became bad; today if that is new.
  func badSince(_ key: KeyCode) -> Day { badSince[key] ?? .today }

  mutating func update(bad: some Sequence<KeyCode>) {
    badSince = Dictionary(bad.map { ($0, badSince($0)) }, uniquingKeysWith: { first, _ in first })
  }

  /// Receives what was stored, and returns it without what was reset since the daemon began to read it.
  mutating func add(_ earlier: StoredCounts) -> StoredCounts {
    var earlier = earlier
    earlier.keys.removeAll { resetKeys.contains($0.code) }
    resetKeys = []
    since = earlier.since
    for key in earlier.keys where key.habits.badFor != nil {
      badSince[key.code] = key.badSince ?? .today
    }
    return earlier
  }

  /// Receives that a key was reset, or the whole device.
  mutating func reset(_ key: KeyCode?) {
    guard let key else {
      self = DeviceHistory()
      return
    }
    badSince[key] = nil
    days.reset(key)
    unused?.keys.removeAll { $0.code == key }
    resetKeys.insert(key)
  }
}

extension Day {
  static var today: Day { Day(unixTime: time(nil)) }
}

// MARK: - Of the daemon

extension Daemon {
  /// Asks for what was counted and learned when the device was last there.
  func readEarlierCounts(of node: DeviceNode) -> CountsStorage {
    let device = CountedDevice(node.identity)
    // Of two that are alike, the second keeps none: the next time it could not be known which is which.
    let others = devices.first { !$0.isClosed && $0.storage.device == device }
    guard statistics.isKept, others == nil else { return .notKept }
    statistics.read(device)
    return .awaitingEarlier(device)
  }

  /// Adds what was counted of devices earlier to what has been since, and has them go on from what was learned then. Adopts
  /// settings that have been read.
  func takeFound(now: Instant) {
    for found in statistics.takeFound() {
      switch found {
      case .settings(let reading, let calls): adopt(reading, for: calls, now: now)
      case .earlier(let device, let earlier):
        somethingHappened(at: now)
        guard let id = devices.first(where: { $0.storage == .awaitingEarlier(device) }) else {
          continue
        }
        devices.update(id) { pipeline in
          pipeline.addEarlier(earlier.counts, earlier.days)
          pipeline.storage = .kept(device)
        }
      }
    }
  }
}

// MARK: - Of a pipeline

extension Pipeline {
  /// What was counted of each key and learned of it, the most chatter first.
  var keys: [KeyStatus] {
    let engine = path.engine
    var learned = Dictionary(uniqueKeysWithValues: engine.habits.keys.map { ($0.code, $0) })
    let counted = engine.countedKeys
    return (counted + Set(learned.keys).subtracting(counted)).map { code in
      var key = KeyStatus(
        key: KeyNames.name(of: code), code: code, counts: engine.counts(of: code) ?? KeyCounts())
      if let habits = learned.removeValue(forKey: code) { key.habits = habits }
      key.isBad = engine.isBad(code)
      if key.habits.badFor != nil { key.badSince = history.badSince(code) }
      return key
    }.sorted { ($0.chatter.total, $0.strokes, $0.code) > ($1.chatter.total, $1.strokes, $1.code) }
  }

  /// Has what was counted and learned of the device stored, if it is to be.
  mutating func storeCounts(in statistics: Statistics) {
    let habits = path.engine.habits
    history.update(bad: habits.keys.lazy.filter { $0.badFor != nil }.map(\.code))
    if case .awaitingEarlier = storage { return }
    let keys = keys
    let turn = history.days.receive(KeyDays(keys), on: .today)
    guard case .kept(let device) = storage else { return }
    if let turn { statistics.add { try $0.keep(turn, of: device) } }
    var counts = StoredCounts(of: device.identity, keys: keys)
    counts.usualHold = habits.usualHold
    counts.since = history.since
    if let unused = history.unused { counts.replaceHabits(by: unused) }
    if !keys.isEmpty { statistics.add { [counts] in try $0.store(counts, of: device) } }
    // A pipeline that has closed counts no more.
    if isClosed { storage = .notKept }
  }

  /// Receives what was counted and learned earlier, and what was counted on which day; `nil` if the device was never
  /// seen.
  mutating func addEarlier(_ earlier: StoredCounts?, _ days: StoredDays?) {
    hasUnpublished = true
    let earlier = earlier.map { history.add($0) }
    if earlier != nil || days != nil {
      history.days.add(KeyDays(earlier?.keys ?? []), days?.beginning)
    }
    guard let earlier else { return }
    for key in earlier.keys { path.add(key.counts, of: key.code) }
    guard !earlier.habits.isEmpty else { return }
    if path.install(earlier.habits) {
      log.info("\(title): going on from what was learned of it earlier")
    } else {
      history.unused = earlier.habits
      log.notice(
        "\(title): what was learned of it earlier came too late, and is not used this time")
    }
  }

  /// Drops what was counted and learned of a key, or of the whole device, also on disk.
  ///
  /// - Parameter done: Called when it is gone there, on another thread.
  mutating func reset(
    _ key: KeyCode?, in statistics: Statistics, done: @escaping @Sendable () -> Void
  ) {
    if let device = storage.device {
      statistics.add { store in
        defer { done() }
        try store.reset(key, of: device)
      }
    } else {
      done()
    }
    path.reset(key)
    published.reset(key)
    hasUnpublished = true
    history.reset(key)
    // What is being read is from before.
    if key == nil, let device = storage.device { storage = .kept(device) }
    // Which key it is, is private.
    log.notice(
      "\(title): what was counted and learned of \(key == nil ? "it" : "a key") was dropped, as asked for"
    )
  }
}

extension StoredCounts {
  /// Stores what was learned at another time instead.
  mutating func replaceHabits(by habits: LearnedHabits) {
    usualHold = habits.usualHold
    for index in keys.indices {
      keys[index].habits =
        habits.keys.first { $0.code == keys[index].code } ?? LearnedHabits.Key(keys[index].code)
      keys[index].isBad = keys[index].habits.badFor != nil
      if keys[index].habits.badFor == nil { keys[index].badSince = nil }
    }
  }
}

/// What was counted and learned of the devices, kept while they are unplugged and while the daemon does not run.
///
/// Files are read and written by a thread of their own: a disk may take its time, a key may not. So may the kernel when
/// devices are closed, which that thread does, too.
final class Statistics {
  enum Found: Sendable {
    case earlier(CountedDevice, StatisticsStore.Earlier)
    /// What was read, for those who wait for that.
    case settings(LiveConfiguration.Reading, for: [BusCall])
  }

  private let store: StatisticsStore
  private let log: Logger
  /// One after the other: what is still being written is there before it is read.
  let worker: Worker
  private let found: Mailbox<Found>
  /// What has been logged of files: a device that is plugged in again is not news.
  private var reported: Set<String> = []
  /// How many devices' files are being read, or wait to be taken.
  private var reading = 0

  init(folder: String?, log: Logger) throws(Errno) {
    store = StatisticsStore(folder: folder)
    self.log = log
    (worker, found) = (try Worker(), try Mailbox())
  }

  /// Becomes readable when ``takeFound()`` has something to return.
  var descriptor: CInt { found.descriptor }

  var isKept: Bool { store.folder != nil }

  /// Whether a device's files are being read, or wait to be taken.
  var isReading: Bool { reading > 0 }

  /// Begins to read what was counted of the device before.
  func read(_ device: CountedDevice) {
    reading += 1
    add { [found] store in found.put(.earlier(device, store.counts(of: device))) }
  }

  /// Has something done with the files, on their thread. What fails there is logged.
  func add(_ work: @escaping @Sendable (StatisticsStore) throws -> Void) {
    let isAdded = worker.add { [store, log] in
      do {
        try work(store)
      } catch {
        log.warning("\(error)")
      }
    }
    if !isAdded {
      log.warning("cannot start a thread to read and store counts: they wait in memory")
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

  /// Begins to read the configuration anew: that takes its time, too.
  func read(_ places: ConfigurationPlaces, for calls: [BusCall]) {
    let work: Worker.Work = { [found] in
      let reading = Result { () throws(ConfigurationErrors) in
        try LoadedSettings(readingFrom: places)
      }
      found.put(.settings(reading, for: calls))
    }
    // Where there is no thread for it, at once.
    if !worker.add(work) { worker.finish() }
  }

  /// Waits until everything is kept, or until the limit. The process may end then, whatever the disk does.
  func finish(by limit: DispatchTime = .distantFuture) {
    if isKept, !worker.finish(by: limit) {
      log.warning("the disk is too slow: what was counted last is not stored")
    }
  }
}
