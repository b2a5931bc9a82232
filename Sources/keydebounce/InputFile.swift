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
    let source = Packing.of(descriptor).map { Unpacker($0, descriptor, title) }
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

/// A program that unpacks a file.
private final class Unpacker {
  private let packing: Packing
  private let title: String
  /// What it writes into; `nil` once it has ended.
  private var pipe: UnsafeMutablePointer<FILE>?
  private var hasRead = false

  init(_ packing: Packing, _ file: FileDescriptor, _ title: String) {
    (self.packing, self.title) = (packing, title)
    let source = file == .standardInput ? "" : "< /proc/\(getpid())/fd/\(file.rawValue)"
    pipe = popen("exec \(packing.rawValue) -dc \(source)", "re")
  }

  deinit {
    if let pipe { pclose(pipe) }
  }

  /// Reads on. What a package has before the place where it is broken is read; the rest is left out, and that is reported.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard let pipe else { return 0 }
    let count = try FileDescriptor(rawValue: fileno(pipe)).read(into: buffer)
    hasRead = hasRead || count > 0
    guard count == 0 else { return count }
    self.pipe = nil
    switch pclose(pipe) {
    case 0: break
    // As the shell has it.
    case 127 << 8:
      throw CommandError(
        """
        cannot read \(title): it is packed by \(packing.rawValue), which cannot be started. Install \(packing.rawValue), or \
        unpack the file elsewhere
        """, code: .badRecording)
    case _ where hasRead:
      report(
        "\(title): \(packing.rawValue) finds it broken, perhaps cut off: what it could unpack is read, the rest is left out"
      )
    default:
      throw CommandError(
        "cannot read \(title): \(packing.rawValue) finds it broken, and could unpack nothing of it",
        code: .badRecording)
    }
    return 0
  }
}
