import Configuration
import Devices
import Files
import Glibc
import Status
import SystemPackage
import TerminalText

/// A guided calibration that was broken off and stored to be resumed: counts by key, and nothing of what was typed.
public struct StoredSession {
  private struct Form: Codable {
    static let present = 1

    var format = present
    var version = Version.current
    var session: GuidedSession
  }

  /// What wrote the file.
  private struct Origin: Decodable, Equatable {
    var format: Int
    var version: String
  }

  private let folder: String
  public let path: String

  /// - Returns: `nil` if the user has no home folder.
  public init?(of device: DeviceDescription) {
    func variable(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    guard let state = variable("XDG_STATE_HOME") ?? variable("HOME").map({ $0 + "/.local/state" })
    else { return nil }
    self.init(of: device, in: "\(state)/keydebounce")
  }

  public init(of device: DeviceDescription, in folder: String) {
    self.folder = folder
    path = "\(folder)/calibration-\(CalibratedFile.name(for: device)).json"
  }

  /// The stored session; `nil` if there is none.
  ///
  /// - Throws: ``StoredSessionError`` if it cannot be resumed.
  public func session() throws(StoredSessionError) -> GuidedSession? {
    let bytes: [UInt8]
    do {
      bytes = try WholeFile.read(path)
    } catch {
      guard error.reason != .noSuchFileOrDirectory else { return nil }
      throw .unreadable("\(error)")
    }
    // Another version may have stored anything.
    if let origin = try? StatusJSON.decode(Origin.self, from: bytes),
      origin != Origin(format: Form.present, version: Version.current)
    {
      throw .ofAnotherVersion(path: path, origin.version)
    }
    do {
      return try StatusJSON.decode(Form.self, from: bytes).session
    } catch {
      throw .damaged(path: path)
    }
  }

  /// Stores a session, so that only the user may read it.
  public func store(_ session: GuidedSession) throws {
    var session = session
    session.interrupt()
    do {
      try makeFolders(folder, permissions: .ownerReadWriteExecute)
      try WholeFile.replace(
        path, with: StatusJSON.encode(Form(session: session)), permissions: .ownerReadWrite)
    } catch let reason as Errno {
      throw FileError(operation: "write", path: path, reason: reason)
    }
  }

  /// Deletes the stored session.
  public func remove() {
    unlink(path)
  }
}

/// Why a stored measurement cannot be resumed.
public enum StoredSessionError: Error, CustomStringConvertible {
  case unreadable(String)
  case ofAnotherVersion(path: String, String)
  case damaged(path: String)

  public var description: String {
    switch self {
    case .unreadable(let reason): reason
    case .ofAnotherVersion(let path, let version):
      "\(path.printable) is of keydebounce \(version.printable), and cannot be taken up by \(Version.current)"
    case .damaged(let path):
      "\(path.printable) is damaged, and cannot be taken up"
    }
  }
}
