import Foundation
import TestMachine

/// A key that moves without a pause, on a thread of its own.
final class KeyFlood: @unchecked Sendable {
  private let lock = NSLock()
  private var isOver = false
  private let end = DispatchSemaphore(value: 0)

  init(of keyboard: UinputDevice) {
    nonisolated(unsafe) let keyboard = keyboard
    Thread.detachNewThread { [self] in
      while !lock.withLock({ isOver }) {
        keyboard.tap(30)
      }
      end.signal()
    }
  }

  func stop() {
    lock.withLock { isOver = true }
    end.wait()
  }
}
