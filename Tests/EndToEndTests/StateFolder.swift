import Foundation
import Glibc

/// Where calibrations that are broken off are kept, for one test.
final class StateFolder {
  private let path = "/tmp/state-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    setenv("XDG_STATE_HOME", path, 1)
    setenv("TERM", "xterm", 1)
  }

  deinit {
    unsetenv("XDG_STATE_HOME")
    try? FileManager.default.removeItem(atPath: path)
  }

  func write(_ text: String, to name: String) throws {
    try FileManager.default.createDirectory(
      atPath: path + "/keydebounce", withIntermediateDirectories: true)
    try text.write(toFile: path + "/keydebounce/" + name, atomically: true, encoding: .utf8)
  }

  func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path + "/keydebounce")
  }
}
