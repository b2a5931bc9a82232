import Debounce
import EventDevices
import Foundation
import Glibc
import Status
import TestMachine
import Testing

extension EndToEnd {
  @Suite("What is counted")
  struct StatisticsTests {
    @Test("is kept across restarts, as counts alone")
    func kept() throws {
      let state = try TemporaryFolder()
      let keyboard = try UinputDevice()
      for round in 1...2 {
        let daemon = try DaemonProcess(["--device", keyboard.path, "--state", state.path])
        let application = try EventReader(path: daemon.waitForClone())
        _ = try application.moves(of: .stroke(30), on: keyboard)

        let status = try DaemonStatus.ask()
        let device = try #require(status.devices.first)
        #expect(device.counts?.pressesOut == 2)
        #expect(device.counts?.latency.reduce(0, +) == 4)
        let key = try #require(device.keys?.first { $0.key == "KEY_A" })
        #expect(key.strokes == round)
        #expect(key.counts.holds.total == round)
        #expect(try daemon.end() == 0)

        let files = try state.names()
        let stem = files.first?.prefix { $0 != "." } ?? ""
        #expect(files == ["\(stem).counts.json", "\(stem).days"])
        let file = state.path + "/" + (files.first ?? "")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        // Keys by their codes, not in the order in which they were pressed.
        #expect(text.contains("KEY_A"))
        var attributes = stat()
        #expect(stat(file, &attributes) == 0 && attributes.st_mode & 0o777 == 0o600)
      }
    }

    @Test("is not kept where the folder cannot be written, and the keyboard works all the same")
    func unwritable() throws {
      let keyboard = try UinputDevice()
      let daemon = try DaemonProcess(["--device", keyboard.path, "--state", "/proc/nothing"])
      let application = try EventReader(path: daemon.waitForClone())
      _ = try application.moves(of: .stroke(30), on: keyboard)
      #expect(try daemon.end() == 0)
      #expect(daemon.log.contains("cannot write the counts"))
    }
  }
}
