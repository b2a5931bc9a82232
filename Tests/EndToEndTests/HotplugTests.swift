import Debounce
import EventDevices
import TestMachine
import Testing

extension EndToEnd {
  @Suite("Keyboards come and go")
  struct HotplugTests {
    @Test("quick replugs in a row end well")
    func replugs() throws {
      let hypervisor = try Hypervisor()
      let daemon = try DaemonProcess.beforeDevices()
      let descriptors = try daemon.countDescriptors()
      let monitor = try Monitor()

      for round in 0..<(isEndurance ? 60 : 9) {
        try hypervisor.plugKeyboard("worn")
        // Some before anyone has seen it, some when udev has just announced it, some when it is debounced.
        if round % 3 == 1 {
          try monitor.waitForNode { $0.name.contains("QEMU USB Keyboard") && !$0.isClone }
        } else if round % 3 == 2 {
          _ = try daemon.waitForClone()
        }
        try hypervisor.unplug("worn")
        // The id is free again once the guest has let go of the device.
        try hypervisor.waitForRemoval(of: "worn")
      }
      try hypervisor.plugKeyboard("worn")
      let application = try EventReader(path: daemon.waitForClone())
      let player = UsbPlayer(hypervisor: hypervisor)
      #expect(try application.moves(of: .stroke(30), on: player) == .stroke(30))

      let clone = try monitor.waitForNode { $0.isClone }
      try hypervisor.unplug("worn")
      try monitor.waitForRemoval(of: clone)
      try daemon.waitForDescriptors(descriptors)
    }
  }
}

extension Monitor {
  /// Waits until a node is gone.
  func waitForRemoval(of node: DeviceNode) throws {
    while try nodes().contains(where: { $0.id == node.id }) {
      guard waitUntilReadable(descriptor) else {
        throw WaitedInVain(description: "\(node.path) is still there")
      }
      _ = next()
    }
  }
}
