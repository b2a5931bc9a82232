import Calibration
import Samples
import Status
import Testing

@Suite("The device whose counts are evaluated")
struct CountedDeviceTests {
  private let devices = StatusSamples.manyDevices.devices

  @Test("is named by its node, a link to it, or a part of its name")
  func names() throws {
    for (name, path) in [
      ("event7", nil), ("/dev/input/event7", nil), ("optical", nil),
      ("/dev/input/by-id/mouse", "/dev/input/event7"),
    ] as [(String, String?)] {
      let device = try CountedDevice.named(name, leadingTo: path, among: devices)
      #expect(device.node == "/dev/input/event7", "\(name)")
    }
    let only = try CountedDevice.named(nil, leadingTo: nil, among: [devices[0]])
    #expect(only == devices[0])
  }

  @Test("is neither none nor one of several")
  func errors() {
    #expect(throws: CountedDeviceError.none(name: "abacus")) {
      try CountedDevice.named("abacus", leadingTo: nil, among: devices)
    }
    #expect(throws: CountedDeviceError.none(name: nil)) {
      try CountedDevice.named(nil, leadingTo: nil, among: [])
    }
    let error = #expect(throws: CountedDeviceError.self) {
      try CountedDevice.named(nil, leadingTo: nil, among: devices)
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains("Optical Mouse (/dev/input/event7)"))
  }

  @Test("is read from a status and from a file of stored counts, and from nothing else")
  func files() throws {
    let status = try StatusJSON.encode(StatusSamples.wornKeyboard)
    #expect(try CountedDevice.all(in: status, of: "x") == StatusSamples.wornKeyboard.devices)
    let device = StatusSamples.wornKeyboard.devices[0]
    let stored = try StatusJSON.encode(StoredCounts(of: device.device, keys: device.keys ?? []))
    #expect(try CountedDevice.all(in: stored, of: "x").first?.keys == device.keys)
    #expect(throws: CountedDeviceError.otherFile("x")) {
      try CountedDevice.all(in: Array("{}".utf8), of: "x")
    }
  }
}
