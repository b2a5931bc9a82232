import Debounce
import Configuration
import EventDevices

/// A device of the daemon, as the table of devices sees it.
extension Pipeline: DeviceInTable {
  var nodePath: String { node.path }
  var renewal: Renewal? { isOutgrown ? Renewal(node: node, kept: path.writer.kept) : nil }
  var sourceDescriptor: CInt { path.source.descriptor }
  var feedbackDescriptor: CInt? { path.writer.clone.feedbackDescriptor }
  var sendsMotion: Bool { path.source.sendsMotion }
  var state: Lifecycle.State { lifecycle.state }
  var isPreparing: Bool { lifecycle.isPreparing }
  var interest: Lifecycle.Interest { lifecycle.interest }
  var isForwarded: Bool { lifecycle.forwards }
  var pausedUntil: Instant? { path.engine.isPaused ? pauseEnd : nil }
  var rules: Rules { settings.rules }

  func hasEnded(at now: Instant) -> Bool { lifecycle.hasEnded(at: now) }
}
