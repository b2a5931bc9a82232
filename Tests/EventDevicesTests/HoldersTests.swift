import Foundation
import Samples
import Testing

@testable import EventDevices

@Suite("Programs that have a file open")
struct HoldersTests {
  @Test("are found by name and number, without ourselves")
  func found() throws {
    let folder = try Folder(["file": "", "other": ""])
    let file = URL(filePath: folder.path).resolvingSymlinksInPath().appending(path: "file")
    let none = file.deletingLastPathComponent().appending(path: "other").path
    let ours = try FileHandle(forReadingFrom: file)
    defer { try? ours.close() }
    #expect(DeviceHolder.all(of: file.path).isEmpty)

    let command = "exec 3<\"$0\"; echo ready; read line"
    try withProgram("/bin/sh", ["-c", command, file.path]) { process in
      let holders = DeviceHolder.all(of: file.path)
      #expect(holders == [DeviceHolder(program: "sh", process: process)])
      #expect(DeviceHolder.all(of: [file.path, none]) == [file.path: holders])
    }
  }

  /// Runs a program that has opened its file when it answers, and ends when nobody writes to it any more.
  private func withProgram(
    _ path: String, _ arguments: [String], _ body: (Int32) throws -> Void
  ) throws {
    let other = Process()
    (other.executableURL, other.arguments) = (URL(filePath: path), arguments)
    let (input, output) = (Pipe(), Pipe())
    (other.standardInput, other.standardOutput, other.standardError) = (input, output, output)
    try other.run()
    #expect(try output.fileHandleForReading.read(upToCount: 6) == Data("ready\n".utf8))
    try body(other.processIdentifier)
    try input.fileHandleForWriting.close()
    other.waitUntilExit()
  }

  /// The beginning of a command in a mount namespace of its own, which not every system allows.
  private static let apart = ["--map-root-user", "--mount", "/bin/sh", "-c"]
  private static let canIsolate: Bool = {
    let trial = try? Process.run(URL(filePath: "/usr/bin/unshare"), arguments: apart + [":"])
    trial?.waitUntilExit()
    return trial?.terminationStatus == 0
  }()

  @Test("are not those that have given another file its path", .enabled(if: canIsolate))
  func impostor() throws {
    let folder = try Folder(["file": ""])
    let command = "mount --bind \"$0\" /dev/null && exec 3</dev/null; echo ready; read line"
    try withProgram("/usr/bin/unshare", Self.apart + [command, folder.path + "/file"]) { process in
      let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/3")
      #expect(link == "/dev/null")
      #expect(!DeviceHolder.all(of: "/dev/null").contains { $0.process == process })
    }
  }
}
