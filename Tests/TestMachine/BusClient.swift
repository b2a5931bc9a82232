import Clibsystemd
import Bus
import EventDevices
import Glibc

/// A client of the bus that may be another user's: it asks for what its user is given, and as fast as that goes.
public final class BusClient {
  /// Whose it is.
  public enum User: Sendable {
    case root
    /// A member of the group `keydebounce`, without any other right.
    case member
    case nobody
  }

  private let bus: OpaquePointer

  /// Connects. The bus takes the client for the user's, by the rights of the process at this moment.
  public init(as user: User) throws {
    if user != .root {
      var groups = user == .member ? [SystemBus.group] : []
      setgroups(groups.count, &groups)
      guard setegid(65534) == 0, seteuid(65534) == 0 else {
        throw WaitedInVain(description: "the test cannot become \(user): root alone can")
      }
    }
    defer {
      _ = (seteuid(0), setegid(0), setgroups(0, nil))
    }
    var bus: OpaquePointer?
    guard sd_bus_open_system(&bus) >= 0, let bus else {
      throw WaitedInVain(description: "\(user) cannot connect to the bus")
    }
    self.bus = bus
    // The bus has looked who it is when it answers.
    guard try call("Status") != nil else {
      throw WaitedInVain(description: "\(user) gets no status")
    }
  }

  deinit {
    sd_bus_flush_close_unref(bus)
  }

  /// Asks for a device several times before the first call is answered.
  ///
  /// - Returns: Every answer that comes: the number of seconds, or the name of an error.
  public func handOver(_ device: String, seconds: [UInt32]) throws -> [String] {
    let answers = Answers()
    let context = Unmanaged.passUnretained(answers).toOpaque()
    for seconds in seconds {
      var call: OpaquePointer?
      sd_bus_message_new_method_call(
        bus, &call, BusNames.service, BusNames.object, BusNames.interface, "Borrow")
      defer { sd_bus_message_unref(call) }
      sd_bus_message_append_basic(call, CChar(UInt8(ascii: "s")), device)
      withUnsafePointer(to: seconds) {
        _ = sd_bus_message_append_basic(call, CChar(UInt8(ascii: "u")), $0)
      }
      let result = sd_bus_call_async(
        bus, nil, call,
        { answer, context, _ in
          guard let context else { return 0 }
          let answers = Unmanaged<Answers>.fromOpaque(context).takeUnretainedValue()
          var seconds: UInt32 = 0
          sd_bus_message_read_basic(answer, CChar(UInt8(ascii: "u")), &seconds)
          let error = sd_bus_message_get_error(answer)?.pointee.name.map(String.init(cString:))
          answers.texts.append(error ?? "\(seconds)")
          return 0
        }, context, 5_000_000)
      guard result >= 0 else { throw WaitedInVain(description: "cannot call: \(result)") }
    }
    while answers.texts.count < seconds.count {
      if sd_bus_process(bus, nil) == 0 { sd_bus_wait(bus, UInt64(patience)) }
    }
    return answers.texts
  }

  private final class Answers {
    var texts: [String] = []
  }

  /// What becomes of a call.
  public enum Answer: Equatable, Sendable {
    case answered
    /// By the bus or by the daemon: the caller may not call it.
    case refused
    /// With another error, of this name.
    case failed(String)
  }

  /// Calls a method, and does not wait for the answer.
  public func begin(_ member: String, _ text: String, number: UInt32) throws {
    var call: OpaquePointer?
    sd_bus_message_new_method_call(
      bus, &call, BusNames.service, BusNames.object, BusNames.interface, member)
    defer { sd_bus_message_unref(call) }
    sd_bus_message_append_basic(call, CChar(UInt8(ascii: "s")), text)
    withUnsafePointer(to: number) {
      _ = sd_bus_message_append_basic(call, CChar(UInt8(ascii: "u")), $0)
    }
    guard sd_bus_send(bus, call, nil) >= 0, sd_bus_flush(bus) >= 0 else {
      throw WaitedInVain(description: "\(member) cannot be called")
    }
  }

  /// Calls a method of the daemon, or something of polkit, with a text, and waits for whatever answer.
  public func shout(_ member: String, _ text: String, toPolkit: Bool) {
    var (call, answer): (OpaquePointer?, OpaquePointer?)
    if toPolkit {
      let path = "/org/freedesktop/PolicyKit1/Authority"
      let name = "org.freedesktop.PolicyKit1"
      sd_bus_message_new_method_call(bus, &call, name, path, name, "Nothing")
    } else {
      sd_bus_message_new_method_call(
        bus, &call, BusNames.service, BusNames.object, BusNames.interface, member)
    }
    defer {
      sd_bus_message_unref(call)
      sd_bus_message_unref(answer)
    }
    sd_bus_message_append_basic(call, CChar(UInt8(ascii: "s")), text)
    sd_bus_call(bus, call, UInt64(patience), nil, &answer)
  }

  /// What the error said with which a call was answered last.
  public private(set) var lastError: String?

  /// Calls a method with arguments, and waits for the answer.
  public func answer(to member: String, _ texts: String..., number: UInt32? = nil) throws -> Answer
  {
    while true {
      var (call, answer): (OpaquePointer?, OpaquePointer?)
      var error = sd_bus_error()
      sd_bus_message_new_method_call(
        bus, &call, BusNames.service, BusNames.object, BusNames.interface, member)
      defer {
        sd_bus_message_unref(call)
        sd_bus_message_unref(answer)
        sd_bus_error_free(&error)
      }
      for text in texts { sd_bus_message_append_basic(call, CChar(UInt8(ascii: "s")), text) }
      if let number {
        withUnsafePointer(to: number) {
          _ = sd_bus_message_append_basic(call, CChar(UInt8(ascii: "u")), $0)
        }
      }
      let result = sd_bus_call(bus, call, UInt64(patience), &error, &answer)
      if result == -EINTR { continue }
      guard result < 0 else { return .answered }
      lastError = error.message.map { String(cString: $0) }
      let name = error.name.map { String(cString: $0) } ?? "\(result)"
      return result == -EACCES ? .refused : .failed(name)
    }
  }

  /// Sends a signal to one receiver, which may be anybody's, and waits until the bus has passed it on.
  ///
  /// - Parameter receiver: Its own name on the bus, such as `:1.42`, or one that it owns.
  public func send(
    signal: String, of interface: String, at path: String, _ texts: [String] = [],
    to receiver: String
  ) throws {
    var message: OpaquePointer?
    sd_bus_message_new_signal(bus, &message, path, interface, signal)
    defer { sd_bus_message_unref(message) }
    for text in texts { sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), text) }
    sd_bus_message_set_destination(message, receiver)
    let result = sd_bus_send(bus, message, nil)
    guard result >= 0 else { throw WaitedInVain(description: "cannot send: \(result)") }
    _ = try call("Status")
  }

  /// Its own name on the bus, such as `:1.42`.
  public var name: String {
    var name: UnsafePointer<CChar>?
    sd_bus_get_unique_name(bus, &name)
    return name.map(String.init(cString:)) ?? ""
  }

  /// Has signals of the daemon's received from now on.
  public func listen(for signal: String, of interface: String = BusNames.interface) throws {
    let result = sd_bus_match_signal(
      bus, nil, BusNames.service, BusNames.object, interface, signal,
      { message, context, _ in
        guard let context else { return 0 }
        let signals = Unmanaged<Signals>.fromOpaque(context).takeUnretainedValue()
        var texts: [String] = []
        var text: UnsafePointer<CChar>?
        while sd_bus_message_read_basic(message, CChar(UInt8(ascii: "s")), &text) > 0, let text {
          texts.append(String(cString: text))
        }
        let signature = sd_bus_message_get_signature(message, 1).map(String.init(cString:)) ?? ""
        signals.received.append(Signal(signature: signature, texts: texts, time: monotonicNow()))
        return 0
      }, Unmanaged.passUnretained(signals).toOpaque())
    guard result >= 0 else { throw WaitedInVain(description: "cannot listen for \(signal)") }
  }

  /// What a signal said.
  public struct Signal: Sendable {
    public let signature: String
    public let texts: [String]
    /// When it was received, in microseconds of the monotonic clock.
    public let time: Int64
  }

  private let signals = Signals()

  private final class Signals {
    var received: [Signal] = []
  }

  /// Waits until so many signals have been received since the first call of ``listen(for:)``.
  ///
  /// - Parameter limit: How long at most, in microseconds.
  public func waitForSignals(_ count: Int, limit: Int64) throws -> [Signal] {
    let end = monotonicNow() + limit
    while signals.received.count < count {
      guard monotonicNow() < end else {
        throw WaitedInVain(description: "\(signals.received.count) signals, not \(count)")
      }
      if sd_bus_process(bus, nil) == 0 { sd_bus_wait(bus, 1_000_000) }
    }
    return signals.received
  }

  /// Calls a method, and waits for the answer.
  ///
  /// - Parameter argument: Its argument; `nil` if it has none.
  /// - Returns: The answer's text; `nil` if the call is refused.
  public func call(_ member: String, _ argument: String? = nil) throws -> String? {
    while true {
      var (call, answer): (OpaquePointer?, OpaquePointer?)
      sd_bus_message_new_method_call(
        bus, &call, BusNames.service, BusNames.object, BusNames.interface, member)
      if let argument { sd_bus_message_append_basic(call, CChar(UInt8(ascii: "s")), argument) }
      defer {
        sd_bus_message_unref(call)
        sd_bus_message_unref(answer)
      }
      let result = sd_bus_call(bus, call, UInt64(patience), nil, &answer)
      // To become another user for a moment interrupts all threads. Too many calls that were interrupted wait then.
      if result == -EINTR || result == -ENOBUFS { continue }
      guard result != -EACCES else { return nil }
      var text: UnsafePointer<CChar>?
      guard result >= 0, sd_bus_message_read_basic(answer, CChar(UInt8(ascii: "s")), &text) > 0,
        let text
      else { throw WaitedInVain(description: "“\(member)” gets no answer: \(result)") }
      return String(cString: text)
    }
  }
}
