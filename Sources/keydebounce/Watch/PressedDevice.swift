import Debounce
import EventDevices

extension DeviceChooser {
  /// The device on which a key is pressed, of all that keydebounce takes.
  ///
  /// A device that the service holds sends nothing to others. Its clone does, and leads back to it.
  ///
  /// - Returns: `nil` if the person does not want to go on.
  /// - Throws: ``NamedDeviceError`` if there is no device to choose.
  func pressedDevice() throws -> DeviceNode? {
    let all = try NamedDevices.all()
    let candidates = all.filter { isTaken($0) }
    guard candidates.count > 1 else {
      guard let only = candidates.first else { throw NamedDeviceError.nothingToTake }
      return only
    }
    var watch = DeviceWatch()
    var nodes: [DeviceNode] = []
    var failure: (any Error)?
    for node in candidates {
      let clone = node.clone(among: all)
      for path in [node.path, clone?.path].compactMap(\.self) {
        do {
          watch.add(try Source(path: path))
          nodes.append(node)
        } catch {
          failure = error
        }
      }
    }
    if nodes.isEmpty, let failure { throw failure }
    report("press a key on the keyboard you mean; Ctrl-C ends it")
    var press = FirstPress()
    guard case .finished = try watch.run(&press) else { return nil }
    return press.device.map { nodes[$0] }
  }
}

/// Waits for the first key that goes down.
private struct FirstPress: DeviceWatcher {
  /// The device that it is on; `nil` if there was none yet.
  private(set) var device: Int?

  mutating func receive(_ frame: borrowing Frame, from device: Int) {
    guard self.device == nil else { return }
    if frame.events.contains(where: { $0.type == EventType.key && $0.value == 1 }) {
      self.device = device
    }
  }

  mutating func resynchronise(held: KeySet, others: borrowing Frame) {}
  mutating func resume(at now: Microseconds) {}

  mutating func advance(to now: Microseconds) -> DeviceWatch.Next {
    device == nil ? .wait(until: nil) : .end
  }
}
