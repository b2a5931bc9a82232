import Files
import Glibc

/// A program that has a device open.
public struct DeviceHolder: Equatable, Sendable {
  /// The program's name, of which the kernel keeps the first 15 bytes.
  public let program: String
  public let process: pid_t

  public init(program: String, process: pid_t) {
    self.program = program
    self.process = process
  }

  /// The other programs that have `path` open, found by a look through all processes. Only root sees those of other users.
  public static func all(of path: String) -> [DeviceHolder] {
    func names(in folder: String) -> [String] { (try? entries(of: folder)) ?? [] }
    return names(in: "/proc").compactMap { entry in
      guard let process = pid_t(entry), process != getpid() else { return nil }
      let folder = "/proc/\(process)/fd"
      guard names(in: folder).contains(where: { target(of: "\(folder)/\($0)") == path }) else {
        return nil
      }
      let name = (try? WholeFile.read("/proc/\(process)/comm")) ?? []
      return DeviceHolder(
        program: String(decoding: name.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self),
        process: process)
    }
  }

  private static func target(of link: String) -> String {
    var text = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink(link, &text, text.count)
    return String(decoding: text.prefix(max(length, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

extension DeviceHolder: CustomStringConvertible {
  public var description: String { "\(program) (process \(process))" }
}
