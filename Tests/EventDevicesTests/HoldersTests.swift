import Foundation
import Samples
import Testing

@testable import EventDevices

@Suite("Programs that have a file open")
struct HoldersTests {
  @Test("are found by name and number, without ourselves")
  func found() throws {
    let folder = try Folder(["file": ""])
    let file = URL(filePath: folder.path).resolvingSymlinksInPath().appending(path: "file")
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
    try input.fileHandleForWriting.close()
    other.waitUntilExit()
  }
}
