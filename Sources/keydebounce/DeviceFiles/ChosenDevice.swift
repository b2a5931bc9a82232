import Calibration
import Configuration
import EventDevices

/// The device that `take`, `leave` or `forget` is about, and those that are plugged in beside it.
struct ChosenDevice {
  let node: DeviceNode
  let others: [DeviceNode]

  init(_ node: DeviceNode, beside others: [DeviceNode]) {
    self.node = node
    self.others = others
  }

  /// - Parameters:
  ///   - name: What the person calls it; `nil` to let them choose.
  ///   - isCandidate: Which devices they can choose from.
  /// - Throws: ``NamedDeviceError``.
  init(
    named name: String?, by settings: Settings,
    orOneThat isCandidate: @escaping (DeviceNode, Settings) -> Bool
  ) throws {
    let node = try DeviceChooser(settings: settings).device(named: name) {
      isCandidate($0, settings)
    }
    let all = try NamedDevices.all()
    // Who names a clone means what it stands in for.
    let source = node.isClone ? all.first { !$0.isClone && node.isClone(of: $0) } ?? node : node
    self.init(source, beside: all.filter { $0.path != source.path && !$0.isClone })
  }

  /// The files that are about it.
  func files(in places: ConfigurationPlaces) throws -> DeviceFiles {
    try DeviceFiles(
      about: DeviceDescription(node), beside: others.map(DeviceDescription.init), in: places)
  }

  /// Why it is left alone by these settings; `nil` if it is taken.
  func reasonToLeave(by settings: Settings) -> String? {
    switch Selection.automatic.decide(on: node, by: settings) {
    case .take: nil
    case .leave(let reason): reason
    }
  }
}
