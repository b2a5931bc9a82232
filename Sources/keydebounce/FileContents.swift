import SystemPackage

/// Whole files, as far as they are of a size to be believed.
enum FileContents {
  /// The longest file that is read.
  private static let longest = 1 << 24

  /// All that the file holds; standard input for “-”.
  ///
  /// - Throws: ``FileError``.
  static func read(_ path: String) throws -> [UInt8] {
    do {
      let file = try open(path)
      return try file.closeAfter {
        var bytes: [UInt8] = []
        let portion = 1 << 16
        while true {
          let part = try [UInt8](unsafeUninitializedCapacity: portion) { buffer, count in
            count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
          }
          guard !part.isEmpty else { return bytes }
          bytes += part
          guard bytes.count <= longest else { throw Errno.fileTooLarge }
        }
      }
    } catch let reason as Errno {
      throw FileError(operation: "read", path: path, reason: reason)
    }
  }

  /// The file, open for reading.
  private static func open(_ path: String) throws -> FileDescriptor {
    try path == "-"
      ? .standardInput : .open(FilePath(path), .readOnly, options: .closeOnExec)
  }
}
