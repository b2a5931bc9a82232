import BusMessages
import CSystemd

/// Watches one client of the bus, and reports when it is gone.
///
/// libsystemd's own `sd_bus_track` asks the bus whether the client is there, and waits for the answer: here nothing
/// waits.
final class BusClientWatch {
  private let hasVanished: () -> Void
  private var match: OpaquePointer?
  private var question: BusQuestion?

  /// - Parameters:
  ///   - client: Its own name, as `:1.42`.
  ///   - hasVanished: Called when it is gone, even if that was so from the beginning; once or more.
  init?(_ client: String, on bus: OpaquePointer, hasVanished: @escaping () -> Void) {
    self.hasVanished = hasVanished
    guard listen(for: client, on: bus), ask(for: client, on: bus) else { return nil }
  }

  deinit {
    csystemd_bus_slot_unref(match)
  }

  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private func listen(for client: String, on bus: OpaquePointer) -> Bool {
    let rule = """
      type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',\
      interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(client)',arg2=''
      """
    return csystemd_bus_add_match_async(
      bus, &match, rule,
      { _, context, _ in
        BusClientWatch.from(context)?.hasVanished()
        return 0
      }, nil, context) >= 0
  }

  /// Asks whether it is there at all: it may have vanished before the bus was asked to report that.
  private func ask(for client: String, on bus: OpaquePointer) -> Bool {
    question = BusQuestion("GetNameOwner", about: client, on: bus) { [weak self] answer in
      if answer.isError { self?.hasVanished() }
    }
    return question != nil
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> BusClientWatch? {
    context.map { Unmanaged<BusClientWatch>.fromOpaque($0).takeUnretainedValue() }
  }
}
