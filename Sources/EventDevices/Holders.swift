import Glibc

/// A program that has a device open.
public struct DeviceHolder: Equatable, Sendable {
  /// Its name, as the kernel has it: the first 15 bytes.
  public let program: String
  public let process: pid_t

  public init(program: String, process: pid_t) {
    self.program = program
    self.process = process
  }

  /// The other programs that have `path` open, as far as this user may see: root sees all. Looks through all processes.
  public static func all(of path: String) -> [DeviceHolder] { Holders.processes(holding: path) }
}

extension DeviceHolder: CustomStringConvertible {
  public var description: String { "\(program) (process \(process))" }
}

/// Which programs have a device open, as far as this user may see.
enum Holders {
  /// The other processes that have `path` open.
  static func processes(holding path: String) -> [DeviceHolder] {
    names(in: "/proc").compactMap { entry in
      guard let process = pid_t(entry), process != getpid() else { return nil }
      let folder = "/proc/\(process)/fd"
      guard names(in: folder).contains(where: { target(of: "\(folder)/\($0)") == path }) else {
        return nil
      }
      return DeviceHolder(program: name(of: process), process: process)
    }
  }

  private static func names(in folder: String) -> [String] {
    (try? entries(of: folder)) ?? []
  }

  private static func target(of link: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let length = readlink(link, start, buffer.count)
      guard length > 0 else { return nil }
      return String(decoding: buffer[..<length].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  private static func name(of process: pid_t) -> String {
    guard let file = fopen("/proc/\(process)/comm", "r") else { return "?" }
    defer { fclose(file) }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      guard fgets(buffer.baseAddress, CInt(buffer.count), file) != nil,
        let start = buffer.baseAddress
      else { return "?" }
      return String(cString: start).split(separator: "\n").first.map(String.init) ?? "?"
    }
  }
}
