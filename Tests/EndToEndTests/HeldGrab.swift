import EventDevices
import Foundation
import Glibc
import TestMachine

/// Has the daemon stand still at the grab until ``end()``: see `Faults.c`.
final class HeldGrab {
  enum Moment: String {
    case before = "HOLD_BEFORE_GRAB"
    case after = "HOLD_AFTER_GRAB"
  }

  private let moment: Moment
  private let file = "/tmp/grab-is-held-\(UUID().uuidString)"

  init(_ moment: Moment) {
    self.moment = moment
    _ = FileManager.default.createFile(atPath: file, contents: nil)
  }

  deinit {
    end()
    unlink(file + ".held")
  }

  /// What the daemon's environment must have.
  var variable: String { "\(moment.rawValue)=\(file)" }

  /// Waits until the daemon stands still.
  func wait() throws {
    let end = monotonicNow() + patience
    while access(file + ".held", F_OK) != 0 {
      guard monotonicNow() < end else { throw WaitedInVain(description: "no grab is held") }
      sleep(until: monotonicNow() + 1000)
    }
  }

  /// Lets the daemon go on.
  func end() { unlink(file) }
}
