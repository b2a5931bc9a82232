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
    try TestMachine.wait(for: "a grab that is held", lookingEvery: 1000) {
      access(file + ".held", F_OK) == 0
    }
  }

  /// Lets the daemon go on.
  func end() { unlink(file) }
}
