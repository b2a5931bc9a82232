import Configuration
import Foundation

/// A configuration folder, made for a test and gone after it.
struct Folder: ~Copyable {
  private let url = FileManager.default.temporaryDirectory
    .appending(path: "keydebounce-\(UUID().uuidString)")

  /// - Parameter files: The files' contents by their paths in the folder.
  init(_ files: [String: String]) throws {
    for (path, contents) in files {
      let file = url.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(contents.utf8).write(to: file)
    }
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  var path: String { url.path }

  /// What is wrong with the folder, or with a file in it; without the folder's path.
  func problems(in file: String = "") -> [String] {
    do {
      _ = try Settings(readingFrom: file.isEmpty ? path : path + "/" + file)
      return []
    } catch {
      return error.problems.map { "\($0)".replacingOccurrences(of: path + "/", with: "") }
    }
  }
}

/// The settings that one device file makes.
func settings(_ toml: String, defaults: String = "") throws -> Settings {
  let folder = try Folder(["keydebounce.toml": defaults, "devices.d/10.toml": toml])
  return try Settings(readingFrom: folder.path)
}

/// What is wrong with a device file, without its name.
func problems(_ toml: String) throws -> [String] {
  let folder = try Folder(["devices.d/10.toml": toml])
  return folder.problems().map { $0.replacingOccurrences(of: "devices.d/10.toml:", with: "") }
}

let keyboard = DeviceIdentity(
  name: "Keychron K2 Max", vendor: 0x3434, product: 0x120, version: 0x111)
