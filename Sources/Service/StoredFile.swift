import EventDevices
import Status
import SystemPackage

/// What stands in the place of a device's file.
enum StoredFile<Contents> {
  case none
  case present(Contents, bytes: [UInt8])
  /// It is of a version that is newer than this one.
  case newer(format: Int)
  /// It cannot be read, or is damaged.
  case unusable(any Error)

  /// - Parameter decode: What the bytes say. Throws ``NewerFormat`` where a newer version has written them.
  init(_ path: FilePath, decode: ([UInt8]) throws -> Contents) {
    do {
      // Without waiting: a pipe in its place must not hold up the others.
      let file = try FileDescriptor.open(
        path, .readOnly, options: [.closeOnExec, .nonBlocking, .noFollow])
      let bytes = try file.closeAfter { try WholeFile.read(file) }
      self = .present(try decode(bytes), bytes: bytes)
    } catch Errno.noSuchFileOrDirectory {
      self = .none
    } catch let error as NewerFormat {
      self = .newer(format: error.format)
    } catch {
      self = .unusable(error)
    }
  }
}

/// That a newer version has written a file.
struct NewerFormat: Error {
  let format: Int
}

extension StoredFile<StoredCounts> {
  private struct Format: Decodable {
    let format: Int
  }

  /// A file of counts.
  init(_ path: FilePath) {
    self.init(path) { bytes in
      do {
        let counts = try StatusJSON.decode(StoredCounts.self, from: bytes)
        guard counts.format <= StoredCounts.presentFormat else {
          throw NewerFormat(format: counts.format)
        }
        return counts
      } catch let error as DecodingError {
        // A newer version may have the rest otherwise.
        let format = try StatusJSON.decode(Format.self, from: bytes).format
        guard format <= StoredCounts.presentFormat else { throw NewerFormat(format: format) }
        throw error
      }
    }
  }
}

extension StoredFile<StoredDays> {
  /// A file of days.
  init(_ path: FilePath) {
    self.init(path) { bytes in
      do {
        return try StoredDays(String(decoding: bytes, as: UTF8.self))
      } catch StoredDaysError.newer(let format) {
        throw NewerFormat(format: format)
      }
    }
  }
}
