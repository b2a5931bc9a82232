import SystemPackage
import Testing

@testable import EventDevices

@Suite("Why a device cannot be used")
struct DeviceErrorTests {
  @Test("is said with what to do")
  func advice() {
    #expect("\(DeviceError.uinputMissing(.noSuchFileOrDirectory))".contains("sudo modprobe uinput"))
    #expect(Access.adviceForSource("/").contains("“root”"))
    #expect(Access.adviceForSource("/").contains("with sudo"))
    #expect(Access.adviceForUinput("/").contains("systemd-tmpfiles --create keydebounce.conf"))
    #expect(Access.adviceForSource("/nowhere/at-all").contains("its owner is unknown"))
  }

  @Test("names the programs that have a busy device open, if they were looked for")
  func holders() {
    let path = "/dev/input/event3"
    #expect(
      "\(DeviceError.busy(path: path, holders: [DeviceHolder(program: "keyd", process: 7)]))"
        .contains("have it open: keyd (process 7)."))
    #expect(!"\(DeviceError.busy(path: path, holders: []))".contains("open"))
  }

  @Test("depends on what the kernel answers")
  func kinds() {
    #expect(Errno.permissionDenied.meansRefused && Errno.notPermitted.meansRefused)
    #expect(Errno.noSuchAddressOrDevice.meansMissing)
    #expect(!Errno.ioError.meansRefused && !Errno.ioError.meansMissing)
    // A device may go at any moment.
    let path = "/dev/input/event3"
    #expect(DeviceError("grab", path, .operationNotSupportedByDevice) == .gone(path: path))
    #expect(
      DeviceError("grab", path, .ioError) == .system(operation: "grab", path: path, .ioError))
  }
}
