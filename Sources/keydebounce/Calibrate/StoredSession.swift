import Calibration
import Configuration
import EventDevices
import Glibc
import Status
import SystemPackage

/// A guided calibration that was broken off, kept for another time: counts by key, and nothing of what was typed.
struct StoredSession {
  private struct Form: Codable {
    static let present = 1

    var format = present
    var version = Release.version
    var session: GuidedSession
  }

  private let folder: String
  let path: String

  /// - Returns: `nil` where there is no home for it.
  init?(of device: DeviceIdentity) {
    func variable(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    guard let state = variable("XDG_STATE_HOME") ?? variable("HOME").map({ $0 + "/.local/state" })
    else { return nil }
    self.init(of: device, in: "\(state)/keydebounce")
  }

  init(of device: DeviceIdentity, in folder: String) {
    self.folder = folder
    path = "\(folder)/calibration-\(CalibratedFile.name(for: device)).json"
  }

  /// What was kept; `nil` if nothing was, or by another version.
  func session() -> GuidedSession? {
    guard let bytes = try? FileContents.read(path),
      let form = try? StatusJSON.decode(Form.self, from: bytes), form.format == Form.present,
      form.version == Release.version
    else { return nil }
    return form.session
  }

  /// Keeps it. Nobody else may read it.
  func store(_ session: GuidedSession) throws {
    do {
      try Self.makeFolders(folder)
      let new = path + ".new"
      unlink(new)
      let file = try FileDescriptor.open(
        FilePath(new), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec, .noFollow],
        permissions: .ownerReadWrite)
      try file.closeAfter { _ = try file.writeAll(StatusJSON.encode(Form(session: session))) }
      guard rename(new, path) == 0 else { throw Errno(rawValue: errno) }
    } catch let reason as Errno {
      throw FileError(operation: "write", path: path, reason: reason)
    }
  }

  /// It is done.
  func remove() {
    unlink(path)
  }

  private static func makeFolders(_ folder: String) throws(Errno) {
    guard mkdir(folder, 0o700) != 0, errno != EEXIST else { return }
    guard errno == ENOENT, let slash = folder.lastIndex(of: "/"), slash > folder.startIndex else {
      throw Errno(rawValue: errno)
    }
    try makeFolders(String(folder[..<slash]))
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw Errno(rawValue: errno) }
  }
}
