import CLinux
import Debounce
import Devices
import Files
import Glibc
import Status
import SystemPackage

/// Where the counts of each device are kept while the daemon does not run or the device is not there.
///
/// A file a device in the state directory, and so many at most. Each holds counts alone: no times and no order. The
/// daemon's own user may read them, and nobody else.
struct StatisticsStore {
  /// How many devices are remembered. The ones that were not seen for longest are forgotten.
  private static let mostFiles = 64

  /// The folder; `nil` to remember nothing.
  let folder: FilePath?

  init(folder: String?) {
    self.folder = folder.map { FilePath($0) }
  }

  /// What was counted of the device's keys; nothing if it was never seen.
  ///
  /// - Throws: ``StatisticsError`` if there is a file that cannot be read, or is not one of ours.
  func counts(of device: CountedDevice) throws(StatisticsError) -> [KeyStatus] {
    guard let path = path(of: device) else { return [] }
    do {
      // Without waiting: a pipe in its place must not hold up the others.
      let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
      let bytes = try file.closeAfter { try WholeFile.read(file) }
      let stored = try StatusJSON.decode(StoredCounts.self, from: bytes)
      return stored.format == StoredCounts.presentFormat ? stored.keys : []
    } catch Errno.noSuchFileOrDirectory {
      return []
    } catch {
      throw StatisticsError(operation: "read", path: path, reason: error)
    }
  }

  /// Writes down what was counted, in place of what was known of the device.
  ///
  /// The file is whole at any time: another one takes its place.
  func store(_ keys: [KeyStatus], of device: CountedDevice) throws(StatisticsError) {
    guard let folder, let path = path(of: device) else { return }
    do {
      let bytes = try StatusJSON.encode(StoredCounts(of: device.identity, keys: keys))
      try WholeFile.replace(path.string, with: bytes, permissions: .ownerReadWrite)
    } catch {
      throw StatisticsError(operation: "write", path: path, reason: error)
    }
    forgetOldest(in: folder)
  }

  private func path(of device: CountedDevice) -> FilePath? {
    folder?.appending(device.fileName)
  }

  /// Deletes the oldest files where there are too many.
  private func forgetOldest(in folder: FilePath) {
    var files: [(path: String, changed: Int)] = []
    for name in (try? entries(of: folder.string)) ?? []
    where name.hasSuffix(CountedDevice.suffix) && !name.hasPrefix(".") {
      let path = folder.appending(name).string
      var status = stat()
      if stat(path, &status) == 0 { files.append((path, status.st_mtim.tv_sec)) }
    }
    for file in files.sorted(by: { $0.changed > $1.changed }).dropFirst(Self.mostFiles) {
      unlink(file.path)
    }
  }
}

/// Why counts could not be read or kept. The daemon goes on without.
struct StatisticsError: Error, CustomStringConvertible {
  let operation: String
  let path: FilePath
  let reason: any Error

  var description: String {
    reason is DecodingError
      ? "cannot read the counts in \(path): the file is damaged, or of another version; counting from 0"
      : "cannot \(operation) the counts in \(path): \(reason)"
  }
}
