import Configuration
import Files
import Glibc
import SystemPackage

/// A temporary copy of a configuration folder, made of links, in which a new file can be tried.
///
/// Owns the copy, which is deleted with the value.
final class ConfigurationCopy {
  private let folder: String
  private let copy: String
  /// What was created, in order.
  private var made: [String] = []

  init(of folder: String) throws {
    self.folder = folder
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/keydebounce-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw FileError(operation: "make a folder in", path: base, reason: Errno(rawValue: errno))
    }
    copy = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let whole = resolvedPath(folder)
    let defaults = "keydebounce.toml"
    if access("\(whole)/\(defaults)", F_OK) == 0 {
      try link("\(whole)/\(defaults)", to: defaults)
    }
    for subfolder in ["devices.d", "calibrated.d"] {
      let own = "\(copy)/\(subfolder)"
      guard mkdir(own, 0o700) == 0 else { throw failure(own) }
      made.append(own)
      // A missing folder is an empty one.
      for name in (try? entries(of: "\(whole)/\(subfolder)")) ?? []
      where name.hasSuffix(".toml") && !name.hasPrefix(".") {
        try link("\(whole)/\(subfolder)/\(name)", to: "\(subfolder)/\(name)")
      }
    }
  }

  deinit {
    for path in made.reversed() where unlink(path) != 0 { rmdir(path) }
    rmdir(copy)
  }

  /// Puts a file into the copy, replacing one of that name.
  func put(_ text: String, at name: String) throws {
    let path = "\(copy)/\(name)"
    if unlink(path) != 0 { made.append(path) }
    do {
      let file = try FileDescriptor.open(
        FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
        permissions: .ownerReadWrite)
      try file.closeAfter { _ = try file.writeAll(text.utf8) }
    } catch let reason as Errno {
      throw FileError(operation: "write", path: path, reason: reason)
    }
  }

  /// Takes a file out of the copy, if it is there.
  func remove(_ name: String) {
    unlink("\(copy)/\(name)")
  }

  func settings() throws -> Settings { try Settings(readingFrom: copy) }

  /// Replaces paths of the copy in a message by those of the folder.
  func original(_ text: String) -> String {
    var text = text[...]
    var original = ""
    while let place = text.firstRange(of: copy) {
      original += text[..<place.lowerBound] + folder
      text = text[place.upperBound...]
    }
    return original + text
  }

  private func link(_ path: String, to name: String) throws {
    let place = "\(copy)/\(name)"
    guard symlink(path, place) == 0 else { throw failure(place) }
    made.append(place)
  }

  private func failure(_ path: String) -> FileError {
    FileError(operation: "write", path: path, reason: Errno(rawValue: errno))
  }
}
