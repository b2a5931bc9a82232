import CEvdev
import Debounce
import EventDevices
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("When the kernel lost events, the clone is soon as the device is")
  struct LostEventsTests {
    /// What moves while nobody reads.
    enum Moving: String, CaseIterable {
      case keys, switches, axes, everything
    }

    private static let blueprint: Blueprint = {
      var device = Blueprint.keyboard(name: "keydebounce test panel")
      device.codes[EV_SW] = [SW_LID, SW_TABLET_MODE, SW_DOCK, SW_LINEIN_INSERT]
      device.axes = [ABS_X: 1000, ABS_Y: 1000, ABS_THROTTLE: 1000]
      return device
    }()

    private func events(_ moving: Moving) -> [(type: CInt, code: CInt, values: UInt64)] {
      let keys = (16..<24).map { (EV_KEY, CInt($0), UInt64(2)) }
      let switches = (Self.blueprint.codes[EV_SW] ?? []).map { (EV_SW, $0, UInt64(2)) }
      let axes = Self.blueprint.axes.keys.sorted().map { (EV_ABS, $0, UInt64(1000)) }
      return switch moving {
      case .keys: keys
      case .switches: switches
      case .axes: axes
      case .everything: keys + switches + axes
      }
    }

    @Test(
      "its keys, switches and axes agree", arguments: isEndurance ? Moving.allCases : [.everything])
    func agreement(moving: Moving) throws {
      let device = try UinputDevice(Self.blueprint)
      let daemon = try DaemonProcess(["--device", device.path])
      let path = try daemon.waitForClone()
      let application = try EventReader(path: path)
      let codes = events(moving)
      var seed = UInt64(getpid()) &* 0x9e37_79b9_7f4a_7c15 | 1
      print("seed \(seed)")
      for _ in 0..<5 {
        daemon.signal(SIGSTOP)
        try daemon.waitUntilStopped()
        for _ in 0..<400 {
          let (type, code, values) = codes[Int(next(&seed) % UInt64(codes.count))]
          let value = Int32(next(&seed) % values)
          device.send([Event(type: UInt16(type), code: UInt16(code), value: value)])
        }
        daemon.signal(SIGCONT)
        try daemon.waitForLine(containing: "events were lost")
        try device.playMark()
        _ = try application.framesUpToMark()
        let (source, clone) = (try DeviceState(path: device.path), try DeviceState(path: path))
        #expect(clone.keys == source.keys)
        #expect(clone.switches == source.switches)
        #expect(clone.axes == source.axes)
      }
    }

    private func next(_ seed: inout UInt64) -> UInt64 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return seed >> 33
    }
  }
}
