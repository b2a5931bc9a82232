import Clibsystemd
import Foundation
import Glibc

/// Stands in for logind on the tests' bus: every user has the same session, until it ends.
public final class LoginManager: @unchecked Sendable {
  private let bus: OpaquePointer
  private let lock = NSLock()
  private var (isEnding, sessionHasEnded, isAnnounced) = (false, false, false)
  private let ended = DispatchSemaphore(value: 0)

  /// Takes logind's name, and answers from a thread of its own.
  public init() throws {
    var bus: OpaquePointer?
    guard sd_bus_open_system(&bus) >= 0, let bus else {
      throw WaitedInVain(description: "logind cannot connect to the bus")
    }
    self.bus = bus
    let result = sd_bus_request_name(bus, "org.freedesktop.login1", 0)
    guard result >= 0 else {
      throw WaitedInVain(description: "logind cannot have its name: \(result)")
    }
    sd_bus_add_fallback(
      bus, nil, "/org/freedesktop/login1",
      { call, context, _ in
        guard let context else { return 0 }
        Unmanaged<LoginManager>.fromOpaque(context).takeUnretainedValue().answer(call)
        return 1
      }, Unmanaged.passUnretained(self).toOpaque())
    Thread.detachNewThread { [self] in
      while !lock.withLock({ isEnding }) {
        announceEnd()
        if sd_bus_process(self.bus, nil) == 0 { sd_bus_wait(self.bus, 50_000) }
      }
      ended.signal()
    }
  }

  /// Ends the session, and says so.
  public func endSession() {
    lock.withLock { sessionHasEnded = true }
  }

  /// Ends it: logind runs no longer.
  public func stop() {
    lock.withLock { isEnding = true }
    ended.wait()
    sd_bus_flush_close_unref(bus)
  }

  private func announceEnd() {
    guard lock.withLock({ sessionHasEnded && !isAnnounced }) else { return }
    isAnnounced = true
    var signal: OpaquePointer?
    sd_bus_message_new_signal(
      bus, &signal, "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "SessionRemoved")
    sd_bus_message_append_basic(signal, code("s"), "7")
    sd_bus_message_append_basic(signal, code("o"), "/org/freedesktop/login1/session/_37")
    sd_bus_send(bus, signal, nil)
    sd_bus_message_unref(signal)
  }

  private func code(_ character: Character) -> CChar { CChar(character.asciiValue ?? 0) }

  /// Answers what a property of a user or of the session is.
  private func answer(_ call: OpaquePointer?) {
    var (interface, property): (UnsafePointer<CChar>?, UnsafePointer<CChar>?)
    sd_bus_message_read_basic(call, code("s"), &interface)
    sd_bus_message_read_basic(call, code("s"), &property)
    var answer: OpaquePointer?
    sd_bus_message_new_method_return(call, &answer)
    if property.map({ String(cString: $0) }) == "Display" {
      sd_bus_message_open_container(answer, code("v"), "(so)")
      sd_bus_message_open_container(answer, code("r"), "so")
      sd_bus_message_append_basic(answer, code("s"), "7")
      sd_bus_message_append_basic(answer, code("o"), "/org/freedesktop/login1/session/_37")
      sd_bus_message_close_container(answer)
    } else {
      sd_bus_message_open_container(answer, code("v"), "s")
      let state = lock.withLock { sessionHasEnded ? "closing" : "active" }
      sd_bus_message_append_basic(answer, code("s"), state)
    }
    sd_bus_message_close_container(answer)
    sd_bus_send(nil, answer, nil)
    sd_bus_message_unref(answer)
  }
}
