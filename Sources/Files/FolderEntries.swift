import Glibc
import SystemPackage

/// The names of what is in a folder, hidden or not, in no particular order.
///
/// - Throws: `Errno` if it cannot be read.
public func entries(of folder: String) throws(Errno) -> [String] {
  guard let stream = opendir(folder) else { throw Errno(rawValue: errno) }
  defer { closedir(stream) }
  var names: [String] = []
  while true {
    // Nothing else distinguishes the end from a failure.
    errno = 0
    guard let entry = readdir(stream) else { break }
    let name = withUnsafeBytes(of: entry.pointee.d_name) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name != ".", name != ".." { names.append(name) }
  }
  guard errno == 0 else { throw Errno(rawValue: errno) }
  return names
}
