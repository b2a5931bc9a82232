import Files
import Recording
import SystemPackage

/// A file named on the command line, open for reading; “-” stands for standard input.
struct InputFile {
  private let path: String
  private let descriptor: FileDescriptor

  init(_ path: String) throws(FileError) {
    self.path = path
    guard path != "-" else {
      descriptor = .standardInput
      return
    }
    do {
      descriptor = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
    } catch {
      throw FileError(operation: "read", path: path, reason: error as? Errno ?? .ioError)
    }
  }

  /// What the file is called in messages.
  var title: String { path == "-" ? "standard input" : path }

  /// All that the file holds.
  ///
  /// - Throws: ``FileError``.
  func contents() throws -> [UInt8] {
    try reporting { try WholeFile.read(descriptor) }
  }

  /// The file as a recording.
  func recording() -> RecordingReader {
    RecordingReader(file: title) { buffer in
      try reporting { try descriptor.read(into: buffer) }
    }
  }

  private func reporting<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let reason as Errno {
      throw FileError(operation: "read", path: path, reason: reason)
    }
  }
}
