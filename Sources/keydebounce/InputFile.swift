import Configuration
import EventDevices
import Glibc
import Recording
import SystemPackage

extension FileError {
  /// What `body` returns. If it fails for a reason of the system's, the error says with which file.
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

  /// What the file is called in messages.
  var title: String { path == "-" ? "standard input" : path }

  func contents() throws -> [UInt8] {
    try FileError.naming(path, "read") { try WholeFile.read(descriptor) }
  }

  /// The file as a recording, unpacked if it is packed.
  func recording() throws -> RecordingReader {
    let source = try Packing.of(descriptor).map { try Unpacker($0, descriptor, title) }
    var isAtStart = true
    return RecordingReader(file: title, keyNamed: { KeyNames.code(named: $0) }) { buffer in
      if let source { return try source.read(into: buffer) }
      let count = try FileError.naming(path, "read") { try descriptor.read(into: buffer) }
      if isAtStart, let packing = Packing(of: buffer.prefix(count)) {
        throw CommandError(
          """
          cannot read \(title): it is packed by \(packing.rawValue), and a pipe is not unpacked. Name the file, or unpack it \
          on the way: “… | \(packing.rawValue) -dc | …”
          """, code: .badRecording)
      }
      isAtStart = false
      return count
    }
  }
}

/// How a file is packed: the program that unpacks it.
private enum Packing: String, CaseIterable {
  case gzip, xz, zstd

  private var beginning: [UInt8] {
    switch self {
    case .gzip: [0x1f, 0x8b]
    case .xz: [0xfd, 0x37, 0x7a, 0x58, 0x5a]
    case .zstd: [0x28, 0xb5, 0x2f, 0xfd]
    }
  }

  /// How it is packed what begins so; `nil` if it is not.
  init?(of bytes: some Sequence<UInt8>) {
    guard let packing = Self.allCases.first(where: { bytes.starts(with: $0.beginning) }) else {
      return nil
    }
    self = packing
  }

  /// How a file is packed; `nil` if it is not, or cannot be looked into without taking something away (a pipe).
  static func of(_ descriptor: FileDescriptor) -> Packing? {
    var bytes = [UInt8](repeating: 0, count: 5)
    let count = pread(descriptor.rawValue, &bytes, bytes.count, 0)
    return Packing(of: bytes.prefix(max(0, count)))
  }
}

private final class Unpacker {
  private let packing: Packing
  private let title: String
  private let pipe: FileDescriptor
  /// 0 once it is known how it has ended.
  private var process: pid_t

  init(_ packing: Packing, _ file: FileDescriptor, _ title: String) throws {
    (self.packing, self.title) = (packing, title)
    let ends = try FileDescriptor.pipe(options: .closeOnExec)
    pipe = ends.readEnd
    defer { try? ends.writeEnd.close() }
    do {
      process = try ChildProcess.start(packing.rawValue, [packing.rawValue, "-dc"]) { actions, _ in
        posix_spawn_file_actions_adddup2(&actions, file.rawValue, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, ends.writeEnd.rawValue, STDOUT_FILENO)
      }
    } catch {
      throw CommandError(
        """
        cannot read \(title): it is packed by \(packing.rawValue), which cannot be started (\(error)). \
        Install \(packing.rawValue), or unpack the file elsewhere
        """, code: .badRecording)
    }
  }

  deinit {
    try? pipe.close()
    if process > 0 { waitpid(process, nil, 0) }
  }

  /// Reads on; at the end, whether all of it could be unpacked.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = try pipe.read(into: buffer)
    guard count == 0, process > 0 else { return count }
    var status: CInt = 0
    waitpid(process, &status, 0)
    process = 0
    guard status == 0 else {
      throw CommandError(
        "cannot read \(title): \(packing.rawValue) finds it broken", code: .badRecording)
    }
    return 0
  }
}
