import Debounce
import EventDevices
import Glibc
import Logging
import Status

/// Lines of the log whose moment a key decides: who reads the log would learn from it when the key moved. They are written
/// at the next whole minute, when counts are published, too.
final class DelayedLines {
  private var lines: [(log: Logger, level: Logger.Level, text: String)] = []

  /// Writes a line at the next whole minute; at once where the log is for looking into a fault.
  func add(_ text: String, at level: Logger.Level, to log: Logger) {
    guard log.logLevel > .debug else { return log.log(level: level, "\(text)") }
    lines.append((log, level, text))
  }

  /// Writes what has waited.
  func write() {
    for line in lines { line.log.log(level: line.level, "\(line.text)") }
    lines = []
  }
}

/// What is logged and shown of a device.
extension Pipeline {
  /// Writes a line about the device to the log; at the next whole minute if a key has decided when.
  private mutating func say(
    _ text: String, at level: Logger.Level = .notice, about subject: LogSubject = .device
  ) {
    let log = log.about(subject)
    guard keyDecides else { return log.log(level: level, "\(text)") }
    delayedLines.add(text, at: level, to: log)
    hasNews = true
  }

  /// Logs what has happened.
  mutating func report(_ report: Lifecycle.Report) {
    switch report {
    case .udevIsBusy:
      log.notice(
        "\(title): waiting for udev, which is busy, to announce the clone; not debounced until then"
      )
    case .cloneNotAnnounced:
      log.notice("\(title): udev has not announced the clone; going on without")
    case .awaitingKeys:
      say(
        """
        \(title): still waiting for \(countOfKeysDown) key(s) to come up; not debounced until then
        """)
    case .grabbingWithKeysDown:
      say(
        "\(title): \(countOfKeysDown) key(s) are still down; grabbing it now, as configured")
    case .busy where InitialDisk.isHandingOver:
      awaitsInitialDisk = true
      log.notice(
        "\(title): the keydebounce of the initial RAM disk has it, and is about to let it go")
    case .busy:
      let reason = DeviceError.busy(path: node.path, holders: DeviceHolder.all(of: node.path))
      say("\(reason). Trying again from time to time", at: .error, about: .failedDevice)
    case .forwarding:
      say("\(title): debounced from now on; applications read \(path.writer.clone.path)")
      keyDecides = false
    case .lent:
      say("\(title): lent to another program, and not debounced meanwhile")
      keyDecides = false
    case .loanEnded:
      log.notice("\(title): the loan has lasted too long; taking it back")
    case .unplugged:
      log.notice("\(title): was unplugged")
    case .cannotBeGrabbed:
      say("\(title): cannot be grabbed and stays as it is", about: .failedDevice)
    case .counts:
      let counters = path.engine.counters
      if log.logLevel <= .debug {
        log.debug("\(title): \(counters.summary)")
      } else {
        say("\(title): \(counters.roughSummary)", at: .info)
      }
    }
  }

  /// Reports who has the device now, if it was last reported that it is about to be let go, and that is over.
  mutating func reportBusyAgain() {
    guard awaitsInitialDisk, !InitialDisk.isHandingOver else { return }
    awaitsInitialDisk = false
    report(.busy)
  }

  /// Logs that what was kept of a device has reached nobody.
  static func reportLoss(of presses: Int, from node: DeviceNode, to log: Logger) {
    guard presses > 0 else { return }
    log.about(.failedDevice).error(
      """
      “\(node.name)” (\(node.path)): its clone was not ready in time; \(presses) press(es) are lost that were made \
      meanwhile
      """)
  }

  private var countOfKeysDown: Int { (try? path.source.keysDown().count) ?? 0 }
}

/// The daemon that was started in the initial RAM disk, before a passphrase was asked for. It goes on until the service has
/// started, and is ended then: see `initramfs/keydebounce`.
private enum InitialDisk {
  static let folder = "/run/keydebounce-initramfs"

  /// Whether it may still have the keyboards, and this is not it.
  static var isHandingOver: Bool {
    InstanceLock.folder != folder && access(folder, F_OK) == 0
  }
}

extension Lifecycle {
  /// The state as `status` shows it; `nil` for a device that is done with.
  var status: DeviceStatus.State? {
    switch state {
    case .awaitingClone, .awaitingReaders, .keeping: .starting
    case .awaitingKeys: .waiting
    case .busy: .busy
    case .forwarding, .lending: .debounced
    case .lent, .setAside: .lent
    case .leaving: .leaving
    case .closed: nil
    }
  }
}

extension Counters {
  /// The counts in words, for a log that others read: from how many presses there were between two moments somebody
  /// could tell how long a password is.
  fileprivate var roughSummary: String {
    let hundreds = pressesOut / 100
    let presses = hundreds == 0 ? "fewer than 100" : "more than \(hundreds * 100 - 1)"
    // Where each bounces, that would tell it, too.
    let chatter = chatter < 100 ? "fewer than 100" : "more than \(chatter / 100 * 100 - 1)"
    return "\(presses) presses passed on, \(chatter) removed as chatter"
  }

  /// The counts in words.
  fileprivate var summary: String {
    """
    \(pressesOut) presses passed on, \(chatter) removed as chatter (\(pressBounces) press bounces, \
    \(releaseBounces) release bounces, \(dropOuts) drop-outs)
    """
  }
}
