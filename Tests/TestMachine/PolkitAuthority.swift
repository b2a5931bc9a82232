import Clibsystemd
import Foundation
import Glibc

/// Stands in for polkit on the tests' bus: it says yes or no to whatever it is asked.
public final class PolkitAuthority: @unchecked Sendable {
  private let bus: OpaquePointer
  private let isGranting: Bool?
  private let lock = NSLock()
  private var isEnding = false
  private var asked: [String] = []
  private let ended = DispatchSemaphore(value: 0)

  /// The actions that it was asked about, in order.
  public var actions: [String] { lock.withLock { asked } }

  /// Takes polkit's name, and answers from a thread of its own.
  ///
  /// - Parameter isGranting: What it says; nothing if `nil`.
  public init(granting isGranting: Bool?) throws {
    self.isGranting = isGranting
    var bus: OpaquePointer?
    guard sd_bus_open_system(&bus) >= 0, let bus else {
      throw WaitedInVain(description: "polkit cannot connect to the bus")
    }
    self.bus = bus
    let result = sd_bus_request_name(bus, "org.freedesktop.PolicyKit1", 0)
    guard result >= 0 else {
      throw WaitedInVain(description: "polkit cannot have its name: \(result)")
    }
    sd_bus_add_object(
      bus, nil, "/org/freedesktop/PolicyKit1/Authority",
      { call, context, _ in
        guard let context else { return 0 }
        Unmanaged<PolkitAuthority>.fromOpaque(context).takeUnretainedValue().answer(call)
        return 1
      }, Unmanaged.passUnretained(self).toOpaque())
    Thread.detachNewThread { [self] in
      while !lock.withLock({ isEnding }) {
        if sd_bus_process(self.bus, nil) == 0 { sd_bus_wait(self.bus, 50_000) }
      }
      ended.signal()
    }
  }

  /// Ends it: polkit runs no longer.
  public func stop() {
    lock.withLock { isEnding = true }
    ended.wait()
    sd_bus_flush_close_unref(bus)
  }

  private func answer(_ call: OpaquePointer?) {
    func code(_ character: Character) -> CChar { CChar(character.asciiValue ?? 0) }
    guard sd_bus_message_is_method_call(call, nil, "CheckAuthorization") > 0 else {
      // Something else that is sent to see what that costs.
      var answer: OpaquePointer?
      sd_bus_message_new_method_return(call, &answer)
      sd_bus_send(nil, answer, nil)
      sd_bus_message_unref(answer)
      return
    }
    sd_bus_message_skip(call, "(sa{sv})")
    var action: UnsafePointer<CChar>?
    if sd_bus_message_read_basic(call, code("s"), &action) > 0, let action {
      lock.withLock { asked.append(String(cString: action)) }
    }
    guard let isGranting else { return }
    var answer: OpaquePointer?
    sd_bus_message_new_method_return(call, &answer)
    var (yes, no): (CInt, CInt) = (isGranting ? 1 : 0, 0)
    sd_bus_message_open_container(answer, code("r"), "bba{ss}")
    sd_bus_message_append_basic(answer, code("b"), &yes)
    sd_bus_message_append_basic(answer, code("b"), &no)
    sd_bus_message_open_container(answer, code("a"), "{ss}")
    sd_bus_message_close_container(answer)
    sd_bus_message_close_container(answer)
    sd_bus_send(nil, answer, nil)
    sd_bus_message_unref(answer)
  }
}
