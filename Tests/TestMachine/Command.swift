import Foundation
import Status

/// A call of `keydebounce` that has ended.
public struct Command {
  public let status: CInt
  public let output: String
  public let errors: String

  /// What was written to standard output, read as one JSON object; nil if it is none.
  public var json: [String: Any]? {
    try? JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
  }

  /// Calls the command and waits for its end.
  public init(_ arguments: [String]) throws {
    try self.init(program: DaemonProcess.program, arguments)
  }

  /// Calls another program and waits for its end.
  public init(program: String, _ arguments: [String]) throws {
    let process = Process()
    let (output, errors) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // Standard error is read second: it is short, and waits in its pipe meanwhile.
    self.output = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    self.errors = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    status = process.terminationStatus
  }
}

extension Command {
  /// What runs a program as nobody in particular.
  public static let nobody = [
    "/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
  ]

  /// What runs a program as a user who may read keyboards, and nothing else.
  public static let keyboardUser = [
    "/usr/bin/setpriv", "--reuid=nobody", "--regid=input", "--clear-groups",
  ]

  /// Calls the command as nobody in particular.
  public static func asNobody(_ arguments: [String]) throws -> Command {
    try Command(
      program: nobody[0], nobody.dropFirst() + [DaemonProcess.program] + arguments)
  }
}

extension DaemonStatus {
  /// What the running service tells.
  public static func ask() throws -> DaemonStatus {
    let command = try Command(["status", "--json"])
    guard command.status == 0 else { throw WaitedInVain(description: command.errors) }
    return try StatusJSON.decode(DaemonStatus.self, from: Array(command.output.utf8))
  }
}
