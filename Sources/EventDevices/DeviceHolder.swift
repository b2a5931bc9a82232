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

  /// The other programs that have `path` open. Only root sees those of other users.
  public static func all(of path: String) -> [DeviceHolder] { all(of: [path])[path] ?? [] }

  /// The other programs that have each of these paths open, found by one look through all processes.
  public static func all(of paths: Set<String>) -> [String: [DeviceHolder]] {
    func names(in folder: String) -> [String] { (try? entries(of: folder)) ?? [] }
    let devices = Dictionary(uniqueKeysWithValues: paths.map { ($0, device(at: $0)) })
    var holders: [String: [DeviceHolder]] = [:]
    for entry in names(in: "/proc") {
      guard let process = pid_t(entry), process != getpid() else { continue }
      let links = names(in: "/proc/\(process)/fd").map { "/proc/\(process)/fd/\($0)" }
      let open = links.filter { link in
        // In a mount namespace of its own, a program can give any file the path of a node.
        devices[target(of: link)].map { $0 == device(at: link) } ?? false
      }
      guard !open.isEmpty else { continue }
      let name = (try? WholeFile.read("/proc/\(process)/comm")) ?? []
      let holder = DeviceHolder(
        program: String(decoding: name.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self),
        process: process)
      for path in Set(open.map(target(of:))) { holders[path, default: []].append(holder) }
    }
    return holders
  }

  /// The number of the device that a path leads to; 0 if it leads to another file, or nowhere.
  private static func device(at path: String) -> dev_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_rdev : 0
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
