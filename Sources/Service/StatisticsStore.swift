import CLinux
import Debounce
import EventDevices
import Glibc
import Status
import SystemPackage

/// Where the counts of each device, and what was learned of it, are kept while the daemon does not run or the device is
/// not there.
///
/// A file a device in the state directory, and so many at most. Each holds counts, what is usual, and which switches are
/// bad: no times and no order. The daemon's own user may read them, and nobody else. Beside it is a file with its days.
///
/// A file that is damaged, or of a newer version, is left as it is, and ours stands beside it.
struct StatisticsStore: Sendable {
  /// How many devices are remembered. The ones that were not seen for longest are forgotten.
  private static let mostFiles = 64

  /// The folder; `nil` to remember nothing.
  let folder: FilePath?

  init(folder: String?) {
    self.folder = folder.map { FilePath($0) }
  }

  /// What is kept of a device.
  struct Earlier: Sendable {
    /// `nil` if it was never seen.
    var counts: StoredCounts?
    /// What was counted on each day; `nil` if that was never stored.
    var days: StoredDays?
    /// What is wrong with its files.
    var problems: [StatisticsError] = []
  }

  /// Reads what is kept of the device.
  func counts(of device: CountedDevice) -> Earlier {
    guard let path = path(of: device), let beside = pathBeside(of: device) else {
      return Earlier()
    }
    var earlier = Earlier()
    for path in [path, beside] {
      switch StoredFile<StoredCounts>(path) {
      case .none: continue
      case .present(let counts, _): earlier.counts = counts
      case .newer(let format):
        earlier.problems.append(.newer(path: path, format: format, beside: beside))
        continue
      case .unusable(let reason):
        earlier.problems.append(.failed(operation: "read", path: path, reason: reason))
        continue
      }
      break
    }
    let days = days(of: device)
    earlier.days = days.days
    earlier.problems += days.problems
    return earlier
  }

  /// Writes down what was counted and learned, in place of what was known of the device.
  ///
  /// The file is whole at any time: another one takes its place. What is written already is not written again.
  func store(_ counts: StoredCounts, of device: CountedDevice) throws(StatisticsError) {
    guard let folder, let path = path(of: device), let beside = pathBeside(of: device) else {
      return
    }
    let (place, before): (FilePath, [UInt8]) =
      switch StoredFile<StoredCounts>(path) {
      case .none: (path, [])
      case .present(_, let bytes): (path, bytes)
      case .newer, .unusable: (beside, [])
      }
    do {
      let bytes = try StatusJSON.encode(counts)
      guard bytes != before else {
        // It was seen all the same.
        utimensat(AT_FDCWD, place.string, nil, AT_SYMLINK_NOFOLLOW)
        return
      }
      try WholeFile.replace(place.string, with: bytes, permissions: .ownerReadWrite)
    } catch {
      throw .failed(operation: "write", path: place, reason: error)
    }
    // What stood there while the other could not be used is old now.
    if place == path { unlink(beside.string) }
    forgetOldest(in: folder)
  }

  /// Forgets what was counted and learned of a key, its days, too; of all, and of the device, if it is `nil`. The rest
  /// stays as it was last stored.
  func reset(_ key: KeyCode?, of device: CountedDevice) throws(StatisticsError) {
    try resetDays(key, of: device)
    guard let path = path(of: device), let beside = pathBeside(of: device) else { return }
    for path in [path, beside] {
      guard case .present(var counts, _) = StoredFile<StoredCounts>(path) else { continue }
      guard let key else {
        if unlink(path.string) != 0 {
          throw .failed(operation: "delete", path: path, reason: Errno(rawValue: errno))
        }
        continue
      }
      counts.keys.removeAll { $0.code == key }
      do {
        let bytes = try StatusJSON.encode(counts)
        try WholeFile.replace(path.string, with: bytes, permissions: .ownerReadWrite)
      } catch {
        throw .failed(operation: "write", path: path, reason: error)
      }
    }
  }

  private func path(of device: CountedDevice) -> FilePath? {
    folder?.appending(device.fileName)
  }

  private func pathBeside(of device: CountedDevice) -> FilePath? {
    folder?.appending(device.fileNameBeside)
  }

  /// Deletes the oldest files where there are too many, but for those of newer versions.
  private func forgetOldest(in folder: FilePath) {
    var files: [(path: String, changed: Int)] = []
    for name in (try? entries(of: folder.string)) ?? []
    where name.hasSuffix(CountedDevice.suffix) && !name.hasPrefix(".") {
      let path = folder.appending(name).string
      var status = stat()
      if lstat(path, &status) == 0 { files.append((path, status.st_mtim.tv_sec)) }
    }
    for file in files.sorted(by: { $0.changed > $1.changed }).dropFirst(Self.mostFiles) {
      if case .newer = StoredFile<StoredCounts>(FilePath(file.path)) { continue }
      unlink(file.path)
      let days = file.path.dropLast(CountedDevice.suffix.count) + CountedDevice.daysSuffix
      if case .present = StoredFile<StoredDays>(FilePath(String(days))) { unlink(String(days)) }
    }
  }
}

/// Why counts could not be read or kept. The daemon goes on without.
enum StatisticsError: Error, CustomStringConvertible {
  case failed(operation: String, path: FilePath, reason: any Error)
  /// The file is of a newer version.
  case newer(path: FilePath, format: Int, beside: FilePath)

  /// The format of a file at a path, if this version writes it.
  private static func presentFormat(of path: FilePath) -> Int {
    path.string.hasSuffix(CountedDevice.daysSuffix)
      ? StoredDays.presentFormat : StoredCounts.presentFormat
  }

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
    case .newer(let path, let format, let beside):
      """
      the counts in \(path) are of a newer version of keydebounce (format \(format), not \
      \(Self.presentFormat(of: path))): they are left as they are, and counted is in \(beside)
      """
    }
  }
}
