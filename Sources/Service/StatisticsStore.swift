import CLinux
import Debounce
import Devices
import Files
import Glibc
import Status
import SystemPackage

/// Where the counts of each device, and what was learned of it, are kept while the daemon does not run or the device is
/// not there.
///
/// A file a device in the state directory, and so many at most. Each holds counts, what is usual, and which switches are
/// bad: no times and no order. The daemon's own user may read them, and nobody else.
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
      switch StoredFile(path) {
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
      switch StoredFile(path) {
      case .none: (path, [])
      case .present(_, let bytes): (path, bytes)
      case .newer, .unusable: (beside, [])
      }
    do {
      let bytes = try StatusJSON.encode(counts)
      guard bytes != before else {
        // It was seen all the same.
        utimensat(AT_FDCWD, place.string, nil, 0)
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

  /// Forgets what was counted and learned of a key; of all, and of the device, if it is `nil`. The rest stays as it was
  /// last stored.
  func reset(_ key: KeyCode?, of device: CountedDevice) throws(StatisticsError) {
    guard let path = path(of: device), let beside = pathBeside(of: device) else { return }
    for path in [path, beside] {
      guard case .present(var counts, _) = StoredFile(path) else { continue }
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
      if stat(path, &status) == 0 { files.append((path, status.st_mtim.tv_sec)) }
    }
    for file in files.sorted(by: { $0.changed > $1.changed }).dropFirst(Self.mostFiles) {
      if case .newer = StoredFile(FilePath(file.path)) { continue }
      unlink(file.path)
    }
  }
}

/// What stands in the place of a device's file.
private enum StoredFile {
  case none
  case present(StoredCounts, bytes: [UInt8])
  /// It is of a version that is newer than this one.
  case newer(format: Int)
  /// It cannot be read, or is damaged.
  case unusable(any Error)

  private struct Format: Decodable {
    let format: Int
  }

  init(_ path: FilePath) {
    do {
      // Without waiting: a pipe in its place must not hold up the others.
      let file = try FileDescriptor.open(
        path, .readOnly, options: [.closeOnExec, .nonBlocking, .noFollow])
      let bytes = try file.closeAfter { try WholeFile.read(file) }
      do {
        let counts = try StatusJSON.decode(StoredCounts.self, from: bytes)
        self =
          counts.format <= StoredCounts.presentFormat
          ? .present(counts, bytes: bytes) : .newer(format: counts.format)
      } catch {
        // A newer version may have the rest otherwise.
        let format = try StatusJSON.decode(Format.self, from: bytes).format
        self = format <= StoredCounts.presentFormat ? .unusable(error) : .newer(format: format)
      }
    } catch Errno.noSuchFileOrDirectory {
      self = .none
    } catch {
      self = .unusable(error)
    }
  }
}

/// Why counts could not be read or kept. The daemon goes on without.
enum StatisticsError: Error, CustomStringConvertible {
  case failed(operation: String, path: FilePath, reason: any Error)
  /// The file is of a newer version.
  case newer(path: FilePath, format: Int, beside: FilePath)

  var description: String {
    switch self {
    case .failed(_, let path, let reason) where reason is DecodingError:
      """
      cannot read the counts in \(path): the file is damaged. It is left as it is, and counting begins anew in a \
      file beside it; delete it if it is of no use
      """
    case .failed(let operation, let path, let reason):
      "cannot \(operation) the counts in \(path): \(reason)"
    case .newer(let path, let format, let beside):
      """
      the counts in \(path) are of a newer version of keydebounce (format \(format), not \
      \(StoredCounts.presentFormat)): they are left as they are, and counted is in \(beside)
      """
    }
  }
}
