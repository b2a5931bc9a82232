import Foundation

/// A folder with files, made for a test and gone after it.
public struct Folder: ~Copyable {
  private let url = FileManager.default.temporaryDirectory
    .appending(path: "keydebounce-\(UUID().uuidString)")

  /// - Parameter files: The files' contents by their paths in the folder.
  public init(_ files: [String: String] = [:]) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for (path, contents) in files { try write(contents, to: path) }
  }

  /// Writes a file, and makes the folders for it that are not there.
  public func write(_ text: String, to path: String) throws {
    let file = url.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  public var path: String { url.path }
}
