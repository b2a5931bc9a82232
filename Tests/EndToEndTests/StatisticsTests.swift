import Debounce
import EventDevices
import Foundation
import Glibc
import Status
import StrokeFixtures
import TestMachine
import Testing

extension EndToEnd {
  @Suite("What is counted")
  struct StatisticsTests {

    @Test("is kept across restarts, as counts alone")
    func kept() throws {
      let bus = try SystemBus()
      let state = "/tmp/state-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: state) }
      let keyboard = try UinputDevice()
      for round in 1...3 {
        let daemon = try DaemonProcess(["--device", keyboard.path, "--state", state])
        let application = try EventReader(path: daemon.waitForClone())
        try daemon.waitUntilSaid("on the system bus")
        keyboard.play(.stroke(30))
        try keyboard.playMark()
        _ = try application.framesUpToMark()

        let status = try StatusJSON.decode(
          DaemonStatus.self, from: Array(try Command(["status", "--json"]).output.utf8))
        let device = try #require(status.devices.first)
        #expect(device.counts?.pressesOut == 2)
        #expect(device.counts?.latency.reduce(0, +) == 4)
        let key = try #require(device.keys?.first { $0.key == "KEY_A" })
        #expect(key.strokes == round)
        #expect(key.counts.holds.total == round)
        daemon.signal(SIGTERM)
        #expect(try daemon.waitForEnd() == 0)

        let files = try FileManager.default.contentsOfDirectory(atPath: state).sorted()
        let stem = files.first?.prefix { $0 != "." } ?? ""
        #expect(files == ["\(stem).counts.json", "\(stem).days"])
        let file = state + "/" + (files.first ?? "")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        // Keys by their codes, not in the order in which they were pressed.
        #expect(text.contains("KEY_A"))
        var attributes = stat()
        #expect(stat(file, &attributes) == 0 && attributes.st_mode & 0o777 == 0o600)
      }
      withExtendedLifetime(bus) {}
    }

    @Test("goes on from 0 where the file is damaged")
    func damaged() throws {
      let state = "/tmp/state-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: state) }
      let keyboard = try UinputDevice()
      for text in ["", "{", "{\"format\": 1}", String(repeating: "x", count: 1 << 21)] {
        let first = try DaemonProcess(["--device", keyboard.path, "--state", state])
        let application = try EventReader(path: first.waitForClone())
        keyboard.play(.stroke(30))
        try keyboard.playMark()
        _ = try application.framesUpToMark()
        first.signal(SIGTERM)
        #expect(try first.waitForEnd() == 0)
        let files = try FileManager.default.contentsOfDirectory(atPath: state)
        let file = try #require(files.first { $0.hasSuffix(".counts.json") })
        try text.write(toFile: "\(state)/\(file)", atomically: false, encoding: .utf8)

        let second = try DaemonProcess(["--device", keyboard.path, "--state", state])
        try second.waitForLine(containing: "cannot read the counts")
        try second.waitUntilSaid("debounced from now on")
        second.signal(SIGTERM)
        #expect(try second.waitForEnd() == 0)
      }
    }

    @Test("is kept of so many devices, and no more: the oldest are forgotten")
    func bounded() throws {
      let state = "/tmp/state-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: state) }
      for number in 0..<80 {
        let file = "\(state)/old-\(number).counts.json"
        try "{}".write(toFile: file, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: Double(number))], ofItemAtPath: file)
      }
      let keyboard = try UinputDevice()
      let daemon = try DaemonProcess(["--device", keyboard.path, "--state", state])
      let application = try EventReader(path: daemon.waitForClone())
      keyboard.play(.stroke(30))
      try keyboard.playMark()
      _ = try application.framesUpToMark()
      daemon.signal(SIGTERM)
      #expect(try daemon.waitForEnd() == 0)
      let files = try FileManager.default.contentsOfDirectory(atPath: state)
        .filter { $0.hasSuffix(".counts.json") }
      #expect(files.count == 64)
      #expect(files.contains("old-79.counts.json"))
      #expect(!files.contains("old-0.counts.json"))
    }

    @Test("is not kept where the folder cannot be written, and the keyboard works all the same")
    func unwritable() throws {
      let keyboard = try UinputDevice()
      let daemon = try DaemonProcess(["--device", keyboard.path, "--state", "/proc/nothing"])
      let application = try EventReader(path: daemon.waitForClone())
      keyboard.play(.stroke(30))
      try keyboard.playMark()
      _ = try application.framesUpToMark()
      daemon.signal(SIGTERM)
      #expect(try daemon.waitForEnd() == 0)
      #expect(daemon.log.contains("cannot write the counts"))
    }
  }
}
