import EventDevices
import Glibc
import Status

extension HeldDevice {
  /// Finds out who has a device open, and how other programs can tell it from its clone.
  ///
  /// - Parameter daemon: The daemon's process, which has it open, too.
  /// - Returns: `nil` if the device is gone or may not be opened.
  init?(node: String, daemon: pid_t?) {
    guard let source = try? Source(path: node), let nodes = try? NamedDevices.all() else {
      return nil
    }
    let own = nodes.first { $0.path == node }
    let clone = own.flatMap { $0.clone(among: nodes) }
    self.init(
      name: source.identity.name, cloneName: clone?.name,
      keydID: KeydID(source.identity, source.capabilities),
      programs: DeviceHolder.all(of: node).filter { $0.process != daemon && $0.process != getpid() }
        .map {
          Program(name: $0.program, process: $0.process)
        })
  }

  /// What is reported of it on standard error.
  var lines: [String] {
    [holders]
      + advice.map { line in
        switch line {
        case .sentence(let text): text
        case .literal(let text): "    \(text)"
        }
      }
  }
}
