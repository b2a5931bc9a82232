import Debounce
import EventDevices
import Files
import Glibc
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
    /// `nil` if the device was never seen.
    var counts: StoredCounts?
    /// The counts of each day; `nil` if none were ever stored.
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
    _ = try change(of: device) { (stored: inout StoredDays?) in
      var days = stored ?? StoredDays()
      days.add(turn.counts, on: turn.day, today: turn.next.day)
      days.beginning = turn.next
      stored = days
    }
  }

  /// Forgets what was counted and learned of a key, and its days. The rest stays as it was last stored. Without a key, the whole
  /// device is forgotten.
  ///
  /// - Throws: The first failure, after all files were tried.
  func reset(_ key: KeyCode?, of device: CountedDevice) throws(StatisticsError) {
    let days = tryToReset(StoredDays.self, key, of: device)
    unlinkOlderBeside(of: device)
    let counts = tryToReset(StoredCounts.self, key, of: device)
    if let failure = days ?? counts { throw failure }
  }

  /// Deletes what earlier versions wrote beside a file that they could not use: nobody reads it any more.
  private func unlinkOlderBeside(of device: CountedDevice) {
    guard let folder else { return }
    for format in 1..<StoredCounts.presentFormat {
      unlink(folder.appending(device.fileName(StoredCounts.suffix, format: format)).string)
    }
  }

  /// Deletes the oldest files where there are too many. Files of newer versions stay.
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

/// Reading and writing of either of a device's files.
extension StatisticsStore {
  /// A file of a device, as it was found.
  struct Found<Contents: StoredContents> {
    /// Where the file is to be written; `nil` if nothing is kept.
    var place: FilePath?
    var contents: Contents?
    /// The bytes that are in that place now.
    var bytes: [UInt8]?
    /// Files that are left as they are because they cannot be used.
    var problems: [StatisticsError] = []
  }

  /// The file's usual path, then the path that is used if the usual file cannot be; none if no counts are stored.
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
        // Contents that stood beside another file, which is gone, are written in its place from now on.
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

  /// Changes the stored contents, and writes them if they differ then. Returns whether it did.
  private func change<Contents: StoredContents>(
    of device: CountedDevice, _ change: (inout Contents?) -> Void
  ) throws(StatisticsError) -> Bool {
    var found = find(Contents.self, of: device)
    guard let place = found.place else { return false }
    change(&found.contents)
    do {
      guard let bytes = try found.contents?.bytes() else { return false }
      guard bytes != found.bytes else {
        // The file's age shows when the device was last plugged in.
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

  /// Forgets a key in both places; without a key, deletes the files there. One that is damaged, or a newer version's, stays.
  ///
  /// - Returns: Why a file could not be changed; `nil` if all were.
  private func tryToReset<Contents: StoredContents>(
    _: Contents.Type, _ key: KeyCode?, of device: CountedDevice
  ) -> StatisticsError? {
    var failure: StatisticsError?
    for path in places(of: Contents.self, device) {
      var operation = "read"
      do {
        guard var contents = try Contents.read(path)?.contents else { continue }
        operation = key == nil ? "delete" : "write"
        if let key {
          contents.reset(key)
          try WholeFile.replace(path.string, with: contents.bytes(), permissions: .ownerReadWrite)
        } else {
          try Errno.check(unlink(path.string))
        }
      } catch  where error is DecodingError || error is NewerFormat {
        continue
      } catch {
        failure = .failed(operation: operation, path: path, reason: error)
      }
    }
    return failure
  }
}

/// Why counts could not be read or kept. The daemon goes on without.
enum StatisticsError: Error, CustomStringConvertible {
  case failed(operation: String, path: FilePath, reason: any Error)
  case newer(path: FilePath, format: Int, ours: Int, beside: FilePath)

  var description: String {
    switch self {
    case .failed(_, let path, is DecodingError):
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

/// The contents of a device's file: its counts, or its days.
protocol StoredContents: Sendable {
  static var suffix: String { get }
  static var presentFormat: Int { get }
  /// The longest file that is read, in bytes: the longest that a daemon writes, and some more.
  static var longest: Int { get }

  /// - Throws: ``NewerFormat`` where a newer version has written the bytes.
  init(_ bytes: [UInt8]) throws
  func bytes() throws -> [UInt8]
  mutating func reset(_ key: KeyCode)
}

extension StoredContents {
  /// Reads the file at a path; `nil` if there is none.
  static func read(_ path: FilePath) throws -> (contents: Self, bytes: [UInt8])? {
    do {
      let bytes = try WholeFile.read(path.string, upTo: longest, followsLink: false)
      return (try Self(bytes), bytes)
    } catch let error as FileError {
      if error.reason == .noSuchFileOrDirectory { return nil }
      throw error.reason
    }
  }
}

extension StoredCounts: StoredContents {
  static var suffix: String { ".counts.json" }
  static let longest = 1 << 21

  init(_ bytes: [UInt8]) throws { self = try StatusJSON.decode(StoredCounts.self, from: bytes) }

  func bytes() throws -> [UInt8] { try StatusJSON.encode(self) }

  mutating func reset(_ key: KeyCode) {
    keys.removeAll { $0.code == key }
  }
}

extension StoredDays: StoredContents {
  static var suffix: String { ".days" }
  static let longest = WholeFile.longest

  init(_ bytes: [UInt8]) throws {
    guard let days = try Self(String(decoding: bytes, as: UTF8.self)) else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: ""))
    }
    self = days
  }

  func bytes() -> [UInt8] { Array(text.utf8) }
}

/// The device that counts belong to, as they are stored: the same one wherever it is plugged in, and one of its nodes.
struct CountedDevice: Hashable {
  /// Its identity without what changes: the version, and where it is plugged in. Its `phys` says which of its nodes it is,
  /// such as `input0`.
  private(set) var identity: DeviceIdentity

  init(_ identity: DeviceIdentity) {
    self.identity = identity
    self.identity.version = 0
    self.identity.phys = String(identity.phys?.split(separator: "/").last ?? "")
  }

  /// The name of one of its files.
  ///
  /// - Parameter format: The file's format, if it stands beside one that is damaged or a newer version's; `nil` for the usual
  ///   place.
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
