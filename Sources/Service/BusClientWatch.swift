import CSystemd

/// Watches one client of the bus, and reports when it is gone.
///
/// libsystemd's own `sd_bus_track` asks the bus whether the client is there, and waits for the answer: here nothing
/// waits.
final class BusClientWatch {
  private let hasVanished: () -> Void
  private var match: OpaquePointer?
  private var question: OpaquePointer?

  /// - Parameters:
  ///   - client: Its own name, as `:1.42`.
  ///   - hasVanished: Called when it is gone, even if that was so from the beginning; once or more.
  init?(_ client: String, on bus: OpaquePointer, hasVanished: @escaping () -> Void) {
    self.hasVanished = hasVanished
    guard listen(for: client, on: bus), ask(for: client, on: bus) else { return nil }
  }

  deinit {
    sd_bus_slot_unref(match)
    sd_bus_slot_unref(question)
  }

  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private func listen(for client: String, on bus: OpaquePointer) -> Bool {
    let rule = """
      type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',\
      interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(client)',arg2=''
      """
    return sd_bus_add_match_async(
      bus, &match, rule,
      { _, context, _ in
        BusClientWatch.from(context)?.hasVanished()
        return 0
      }, nil, context) >= 0
  }

  /// Asks whether it is there at all: it may have vanished before the bus was asked to report that.
  private func ask(for client: String, on bus: OpaquePointer) -> Bool {
    var call: OpaquePointer?
    defer { sd_bus_message_unref(call) }
    return sd_bus_message_new_method_call(
      bus, &call, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
      "GetNameOwner") >= 0
      && sd_bus_message_append_basic(call, CChar(UInt8(ascii: "s")), client) >= 0
      && sd_bus_call_async(
        bus, &question, call,
        { answer, context, _ in
          if sd_bus_message_is_method_error(answer, nil) > 0 {
            BusClientWatch.from(context)?.hasVanished()
          }
          return 0
        }, context, 0) >= 0
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> BusClientWatch? {
    context.map { Unmanaged<BusClientWatch>.fromOpaque($0).takeUnretainedValue() }
  }
}
