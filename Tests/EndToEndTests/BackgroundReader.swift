import CEvdev
import Debounce
import Foundation
import Glibc
import TestMachine

/// A program that reads a device at once, on a thread of its own, until the device is gone.
final class BackgroundReader: @unchecked Sendable {
  /// How it waits for events.
  enum Manner: CaseIterable {
    /// In a call of `poll`, as desktops do.
    case polling
    /// In a call of `read`.
    case blocking
  }

  private let descriptor: CInt
  private let end = DispatchSemaphore(value: 0)
  /// The moves of keys; only read after the thread's end.
  private var moves: [Event] = []

  init(path: String, _ manner: Manner = .polling) throws {
    let flags = manner == .polling ? O_RDONLY | O_NONBLOCK : O_RDONLY
    descriptor = open(path, flags | O_CLOEXEC)
    guard descriptor >= 0 else { throw WaitedInVain(description: "cannot open \(path): \(errno)") }
    Thread.detachNewThread { [self] in
      var event = input_event()
      while true {
        let count = read(descriptor, &event, MemoryLayout<input_event>.size)
        if count > 0 {
          guard event.type == EventType.key, event.value != 2 else { continue }
          moves.append(Event(type: event.type, code: event.code, value: event.value))
        } else if count < 0, errno == EAGAIN, waitUntilReadable(descriptor) {
          continue
        } else {
          break
        }
      }
      end.signal()
    }
  }

  deinit {
    close(descriptor)
  }

  /// Waits until the device is gone.
  ///
  /// - Returns: The moves of keys until then.
  func waitForEnd() -> [Event] {
    end.wait()
    return moves
  }

  /// Waits until the device is gone.
  ///
  /// - Returns: The keys that are down then. What was not read when the device went is lost.
  func heldAtEnd() -> Set<KeyCode> {
    var held: Set<KeyCode> = []
    for move in waitForEnd() {
      if move.value == 0 { held.remove(move.code) } else { held.insert(move.code) }
    }
    return held
  }
}
