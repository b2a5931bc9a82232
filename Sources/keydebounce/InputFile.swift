import EventDevices
import Files
import Glibc
import Recording
import SystemPackage

extension FileError {
  /// Runs `body`, and returns its result. An `Errno` becomes an error that names the file.
  static func naming<Result>(
    _ path: String, _ operation: String, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let reason as Errno {
      throw FileError(operation: operation, path: path, reason: reason)
    }
  }
}

/// A file named on the command line, open for reading; “-” stands for standard input.
struct InputFile {
  private let path: String
  private let descriptor: FileDescriptor

  init(_ path: String) throws {
    self.path = path
    descriptor =
      try path == "-"
      ? .standardInput
      : FileError.naming(path, "read") {
        try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
      }
  }

  var title: String { path == "-" ? "standard input" : path }

  func contents() throws -> [UInt8] {
    try FileError.naming(path, "read") { try WholeFile.read(descriptor) }
  }

  /// The file as a recording, unpacked if it is packed.
  ///
  /// - Parameter limit: The most bytes that a packed file may hold. A small one could fill the memory. An hour with a mouse that
  ///   moves a thousand times a second takes two thirds of a GiB, one with a keyboard a few MiB.
  func recording(unpackedUpTo limit: Int = 1 << 30) throws -> RecordingReader {
    let source = try packing(of: descriptor).map { try Unpacker($0, descriptor, title) }
    var unpacked = 0
    return RecordingReader(file: title) { buffer in
      guard let source else {
        return try FileError.naming(path, "read") { try descriptor.read(into: buffer) }
      }
      let count = try source.read(into: buffer)
      unpacked += count
      guard unpacked <= limit else {
        throw CommandError(
          """
          cannot read \(title): it holds more than \(limit >> 20) MiB when it is unpacked. If it is a recording all the \
          same, unpack it yourself, and name the unpacked file
          """, code: .badRecording)
      }
      return count
    }
  }
}

/// The programs that unpack files, and the bytes with which such files begin.
private let packings: [String: [UInt8]] = [
  "gzip": [0x1f, 0x8b], "xz": [0xfd, 0x37, 0x7a, 0x58, 0x5a], "zstd": [0x28, 0xb5, 0x2f, 0xfd],
]

/// The program that unpacks an open file; `nil` if it is not packed, or is a pipe, from which a look would take bytes away.
private func packing(of descriptor: FileDescriptor) -> String? {
  var bytes = [UInt8](repeating: 0, count: 5)
  _ = pread(descriptor.rawValue, &bytes, bytes.count, 0)
  return packings.first { bytes.starts(with: $0.value) }?.key
}

private final class Unpacker {
  private let packing: String
  private let title: String
  private let process: pid_t
  /// The pipe into which the program writes; `nil` once the program has ended.
  private var pipe: FileDescriptor?
  private var hasRead = false

  /// - Parameter file: The program's standard input. Other descriptors that this process has opened are closed to it.
  init(_ packing: String, _ file: FileDescriptor, _ title: String) throws {
    (self.packing, self.title) = (packing, title)
    let ends = try FileDescriptor.pipe()
    // The program is to find its end of the pipe alone: it must notice that nobody reads on.
    for end in [ends.readEnd, ends.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
    pipe = ends.readEnd
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, file.rawValue, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, ends.writeEnd.rawValue, STDOUT_FILENO)
    let words = ([packing, "-dc"] as [String]).map { strdup($0) }
    defer {
      for word in words { free(word) }
      posix_spawn_file_actions_destroy(&actions)
      try? ends.writeEnd.close()
    }
    var process = pid_t()
    let failure = posix_spawnp(&process, packing, &actions, nil, words + [nil], environ)
    self.process = process
    guard failure == 0 else {
      throw CommandError(
        """
        cannot read \(title): it is packed by \(packing), which cannot be started \
        (\(Errno(rawValue: failure))). Install \(packing), or unpack the file elsewhere
        """, code: .badRecording)
    }
  }

  deinit { _ = end() }

  /// Closes the pipe, and waits for the program's end.
  ///
  /// - Returns: As `waitpid` has it; 0 if it could not be started.
  private func end() -> CInt {
    var status: CInt = 0
    guard let pipe else { return status }
    self.pipe = nil
    try? pipe.close()
    while process > 0, waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status
  }

  /// Reads on. Of a broken file, the part before the break is read, and a message says that the rest is left out.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard let count = try pipe?.read(into: buffer) else { return 0 }
    hasRead = hasRead || count > 0
    guard count == 0 else { return count }
    switch end() {
    case 0: break
    case _ where hasRead:
      report(
        "\(title): \(packing) finds it broken, perhaps cut off: what it could unpack is read, the rest is left out"
      )
    default:
      throw CommandError(
        "cannot read \(title): \(packing) finds it broken, and could unpack nothing of it",
        code: .badRecording)
    }
    return 0
  }
}
