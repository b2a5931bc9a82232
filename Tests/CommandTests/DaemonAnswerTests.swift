import Samples
import Status
import Testing

@testable import Bus

@Suite("What the daemon answers")
struct DaemonAnswerTests {
  private func status(ofDeviceAt node: String) throws -> DaemonStatus? {
    var status = StatusSamples.wornKeyboard
    status.devices[0].node = node
    return DaemonClient.status(in: String(decoding: try StatusJSON.encode(status), as: UTF8.self))
  }

  @Test("names event nodes, or it is no answer: commands open what it names, as root")
  func nodes() throws {
    for node in ["/dev/input/event0", "/dev/input/event31"] {
      #expect(try status(ofDeviceAt: node)?.devices[0].node == node)
    }
    for node in [
      "", "/dev/watchdog", "--report=/etc/nologin", "/dev/input/event",
      "/dev/input/event1/../../sda",
      "/dev/input/event１", "/dev/input/event1 ", "/dev/input/mouse0", "event3",
    ] {
      #expect(try status(ofDeviceAt: node) == nil, "\(node)")
    }
    #expect(DaemonClient.status(in: "{}") == nil)
  }
}
