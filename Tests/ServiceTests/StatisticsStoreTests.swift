import Debounce
import Devices
import Foundation
import Status
import Testing

@testable import Service

@Suite("Where counts are kept")
struct StatisticsStoreTests {
  private let desk = CountedDevice(
    DeviceIdentity(
      name: "Desk", bus: 3, vendor: 0x3434, product: 0x120, version: 1, phys: "usb-1/input0",
      uniq: "0042"))

  private func withStore(_ body: (StatisticsStore, String) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "statistics-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(StatisticsStore(folder: folder), folder)
  }

  private func keys(strokes: UInt32) -> [KeyStatus] {
    var counts = KeyCounts()
    counts.strokes = strokes
    return [KeyStatus(key: "KEY_E", code: 18, counts: counts)]
  }

  @Test("A device's counts come back, wherever it is plugged in and whatever its version")
  func roundTrip() throws {
    try withStore { store, _ in
      #expect(try store.counts(of: desk).isEmpty)
      try store.store(keys(strokes: 3), of: desk)
      try store.store(keys(strokes: 4), of: desk)
      var moved = desk.identity
      moved.phys = "usb-0000:00:14.0-2/input0"
      moved.version = 7
      #expect(try store.counts(of: CountedDevice(moved)) == keys(strokes: 4))
      moved.phys = "usb-1/input1"
      #expect(try store.counts(of: CountedDevice(moved)).isEmpty)
      moved = desk.identity
      moved.uniq = "0043"
      #expect(try store.counts(of: CountedDevice(moved)).isEmpty)
    }
  }

  @Test("The file has the name that it always had")
  func fileName() {
    #expect(desk.fileName == "0003-3434-0120-074d81ea76a3fdaa.counts.json")
  }

  @Test("A damaged file is an error that names it, and one of another format holds nothing")
  func damaged() throws {
    try withStore { store, folder in
      let path = folder + "/" + desk.fileName
      for text in ["", "{", "{\"format\":1}", String(repeating: "x", count: 1 << 21)] {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let error = #expect(throws: StatisticsError.self) { try store.counts(of: desk) }
        #expect(error?.description.contains("the file is damaged") == true)
      }
      let other = """
        {"format":2,"name":"Desk","bus":3,"vendor":1,"product":1,"keys":[]}
        """
      try other.write(toFile: path, atomically: true, encoding: .utf8)
      #expect(try store.counts(of: desk).isEmpty)
    }
  }

  @Test("The devices that were not seen for longest are forgotten, and other files left alone")
  func oldest() throws {
    try withStore { store, folder in
      try "mine".write(toFile: folder + "/notes.txt", atomically: true, encoding: .utf8)
      for number in 0..<70 {
        var identity = desk.identity
        identity.uniq = "\(number)"
        let device = CountedDevice(identity)
        try store.store(keys(strokes: 1), of: device)
        // A second apart, as their times tell.
        let time = Date(timeIntervalSince1970: 1_700_000_000 + Double(number))
        try FileManager.default.setAttributes(
          [.modificationDate: time], ofItemAtPath: folder + "/" + device.fileName)
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(names.count == 65)
      #expect(names.contains("notes.txt"))
      #expect(!names.contains { $0.hasPrefix(".") })
    }
  }
}
