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

    // It has opened the file when it answers, and ends when nobody writes to it any more.
    let other = Process()
    other.executableURL = URL(filePath: "/bin/sh")
    other.arguments = ["-c", "exec 3<\"$0\"; echo ready; read line", file.path]
    let (input, output) = (Pipe(), Pipe())
    (other.standardInput, other.standardOutput) = (input, output)
    try other.run()
    #expect(try output.fileHandleForReading.read(upToCount: 6) == Data("ready\n".utf8))
    let holders = DeviceHolder.all(of: file.path)
    #expect(holders == [DeviceHolder(program: "sh", process: other.processIdentifier)])
    #expect(DeviceHolder.all(of: [file.path, none]) == [file.path: holders])
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
    let other = Process()
    other.executableURL = URL(filePath: "/usr/bin/unshare")
    other.arguments =
      Self.apart + [
        "mount --bind \"$0\" /dev/null && exec 3</dev/null; echo ready; read line",
        folder.path + "/file",
      ]
    let (input, output) = (Pipe(), Pipe())
    (other.standardInput, other.standardOutput, other.standardError) = (input, output, output)
    try other.run()
    #expect(try output.fileHandleForReading.read(upToCount: 6) == Data("ready\n".utf8))
    let process = other.processIdentifier
    let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/3")
    #expect(link == "/dev/null")
    #expect(!DeviceHolder.all(of: "/dev/null").contains { $0.process == process })
    try input.fileHandleForWriting.close()
    other.waitUntilExit()
  }
}
