import CLinux
import Configuration
import Debounce
import Devices
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
  /// The longest file that is believed to be one of ours: counts of every key there is take less.
  private static let longest = 1 << 20

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
      let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
      return try file.closeAfter {
        let bytes = try [UInt8](unsafeUninitializedCapacity: Self.longest) { buffer, count in
          let room = UnsafeMutableRawBufferPointer(buffer)
          while case let read = try file.read(into: .init(rebasing: room[count...])), read > 0 {
            count += read
          }
        }
        let stored = try StatusJSON.decode(StoredCounts.self, from: bytes)
        return stored.format == StoredCounts.presentFormat ? stored.keys : []
      }
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
      let stored = StoredCounts(
        name: device.identity.name, bus: device.identity.bus, vendor: device.identity.vendor,
        product: device.identity.product, keys: keys)
      let new = folder.appending(".\(path.lastComponent?.string ?? "").new")
      let file = try FileDescriptor.open(
        new, .writeOnly, options: [.create, .truncate, .closeOnExec], permissions: .ownerReadWrite)
      try file.closeAfter { _ = try file.writeAll(StatusJSON.encode(stored)) }
      guard rename(new.string, path.string) == 0 else { throw Errno(rawValue: errno) }
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

/// What a file of the store holds.
private struct StoredCounts: Codable {
  static let presentFormat = 1

  var format = presentFormat
  /// Which device it is, for people who look.
  var name: String
  var bus: UInt16
  var vendor: UInt16
  var product: UInt16
  var keys: [KeyStatus]
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
