import CSystemd
import Glibc
import SystemPackage

/// libsystemd's functions. Without the library, which `missing` tells, none may be called.
public let systemd = csystemd_library().pointee

/// A message on one of the buses: its arguments are appended, or read, one after the other.
///
/// Owns a reference to the library's message.
public final class BusMessage {
  /// The library's message, for its functions. Stays this message's, which must be kept alive until they have returned.
  public let pointer: OpaquePointer
  /// Why something could not be appended, as a positive `errno`; 0 if everything was.
  private(set) var failure: CInt = 0
  /// Whether everything could be appended.
  public var isWhole: Bool { failure == 0 }

  /// A message that somebody else owns, too: one that was received.
  public init?(sharing pointer: OpaquePointer?) {
    guard let pointer = systemd.bus_message_ref(pointer) else { return nil }
    self.pointer = pointer
  }

  /// A message that nobody else owns; `nil` if it could not be made.
  private init?(_ make: (UnsafeMutablePointer<OpaquePointer?>) -> CInt) {
    var message: OpaquePointer?
    guard make(&message) >= 0, let message else { return nil }
    pointer = message
  }

  deinit {
    _ = systemd.bus_message_unref(pointer)
  }

  /// A call of a method, with its first arguments.
  public static func call(
    _ member: String, of object: RemoteObject, on bus: OpaquePointer?, _ texts: String...
  ) -> BusMessage? {
    let call = BusMessage {
      systemd.bus_message_new_method_call(
        bus, $0, object.service, object.path, object.interface, member)
    }
    for text in texts { call?.append(text) }
    return call
  }

  public static func signal(
    _ member: String, of object: RemoteObject, on bus: OpaquePointer
  ) -> BusMessage? {
    BusMessage { systemd.bus_message_new_signal(bus, $0, object.path, object.interface, member) }
  }

  /// The answer to this call.
  public func makeAnswer() -> BusMessage? {
    BusMessage { systemd.bus_message_new_method_return(pointer, $0) }
  }

  /// Sends it, and waits for nothing. It is dropped where that is not possible, because the bus is gone or full.
  public func send() {
    if isWhole { _ = systemd.bus_message_send(pointer) }
  }

  /// Who sent it, by its own name on the bus, such as `:1.42`.
  public var sender: String {
    systemd.bus_message_get_sender(pointer).map(String.init(cString:)) ?? ""
  }

  /// The method that is called, or the signal's name.
  public var member: String {
    systemd.bus_message_get_member(pointer).map(String.init(cString:)) ?? ""
  }

  /// Whether the caller wants an answer.
  public var wantsAnswer: Bool { systemd.bus_message_get_expect_reply(pointer) > 0 }

  /// Answers with an error. Like every answer that cannot be sent, it is dropped then: only the caller waits for it.
  public func refuse(_ name: String, _ text: String) {
    name.withCString { name in
      text.withCString { text in
        var error = sd_bus_error(name: name, message: text, _need_free: 0)
        _ = systemd.bus_reply_method_error(pointer, &error)
      }
    }
  }

  /// The error that it reports, if it is an answer that does.
  public var error: BusError? {
    systemd.bus_message_is_method_error(pointer, nil) > 0
      ? systemd.bus_message_get_error(pointer).map { BusError($0.pointee) } : nil
  }
}

/// An object on a bus, and the interface of it that is called.
public struct RemoteObject: Sendable {
  public let service: String
  public let path: String
  public let interface: String

  public init(service: String, path: String, interface: String) {
    self.service = service
    self.path = path
    self.interface = interface
  }
}

/// Why a call was not answered, by the bus's or the callee's word where there is one.
public struct BusError: Error {
  public let name: String?
  public let text: String?

  init(_ error: sd_bus_error, reason: CInt? = nil) {
    name = error.name.map(String.init(cString:))
    text =
      error.message.map(String.init(cString:))
      ?? reason.map { String(cString: strerror($0)) }
  }
}

// MARK: - Arguments

/// A type of D-Bus. What a container holds is given as D-Bus writes its types, such as `sv`.
public enum BusType: Character {
  case string = "s"
  case number = "u"
  case flag = "b"
  case descriptor = "h"
  case array = "a"
  case structure = "r"
  case variant = "v"
  case entry = "e"

  fileprivate var code: CChar { CChar(rawValue.asciiValue ?? 0) }
}

extension BusMessage {
  public func append(_ text: String) {
    note(systemd.bus_message_append_basic(pointer, BusType.string.code, text))
  }

  public func append(_ texts: [String]) {
    append(.array, of: "s") { for text in texts { append(text) } }
  }

  public func append(_ number: UInt32) { append(.number, number) }

  public func append(_ flag: Bool) { append(.flag, CInt(flag ? 1 : 0)) }

  /// Appends a copy of a descriptor.
  public func append(_ descriptor: FileDescriptor) { append(.descriptor, descriptor.rawValue) }

  private func append(_ type: BusType, _ value: some FixedWidthInteger) {
    withUnsafePointer(to: value) {
      note(systemd.bus_message_append_basic(pointer, type.code, $0))
    }
  }

  /// Appends a container with what `fill` appends.
  public func append(_ container: BusType, of contents: String, _ fill: () -> Void = {}) {
    note(systemd.bus_message_open_container(pointer, container.code, contents))
    fill()
    note(systemd.bus_message_close_container(pointer))
  }

  private func note(_ result: CInt) {
    if result < 0, failure == 0 { failure = -result }
  }

  /// The next argument, if it is a string.
  ///
  /// - Parameter limit: How many bytes it may have: a longer one is not copied, and `nil`.
  public func readString(upTo limit: Int = .max) -> String? {
    guard let text = read(.string, nil as UnsafePointer<CChar>?) ?? nil else { return nil }
    return limit == .max || strnlen(text, limit + 1) <= limit ? String(cString: text) : nil
  }

  /// The next argument, if it is strings.
  public func readStrings() -> [String]? {
    read(.array, of: "s") {
      var strings: [String] = []
      while let string = readString() { strings.append(string) }
      return strings
    }
  }

  /// The next argument, if it is a number without a sign.
  public func readNumber() -> UInt32? { read(.number, 0) }

  /// The next argument, if it says yes or no.
  public func readFlag() -> Bool? { read(.flag, CInt(0)).map { $0 != 0 } }

  /// A copy of the next argument, if it is a descriptor, for the caller to close: the message closes its own.
  public func readDescriptor() -> FileDescriptor? {
    guard let descriptor = read(.descriptor, CInt(-1)) else { return nil }
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    return copy < 0 ? nil : FileDescriptor(rawValue: copy)
  }

  private func read<Value>(_ type: BusType, _ initial: Value) -> Value? {
    var value = initial
    let result = withUnsafeMutablePointer(to: &value) {
      systemd.bus_message_read_basic(pointer, type.code, $0)
    }
    return result > 0 ? value : nil
  }

  /// What `body` reads of the next argument, if that is such a container.
  public func read<Result>(
    _ container: BusType, of contents: String, _ body: () -> Result
  ) -> Result? {
    guard systemd.bus_message_enter_container(pointer, container.code, contents) > 0 else {
      return nil
    }
    defer { _ = systemd.bus_message_exit_container(pointer) }
    return body()
  }

  /// Leaves out the next arguments, of the types given.
  public func skip(_ types: String) {
    _ = systemd.bus_message_skip(pointer, types)
  }
}

/// Receives the answer to a call, or signals of one kind. Whoever drops it receives no more.
public final class BusListener {
  private let received: (BusMessage) -> Void
  private var slot: OpaquePointer?

  /// Sends a call, and waits for nothing; `nil` if it cannot be sent.
  ///
  /// - Parameter answered: Called with the answer, once.
  public init?(
    to call: BusMessage?, on bus: OpaquePointer?, answered: @escaping (BusMessage) -> Void
  ) {
    received = answered
    guard let call, call.isWhole,
      systemd.bus_call_async(bus, &slot, call.pointer, receiveForListener, context, 0) >= 0
    else { return nil }
  }

  /// - Parameter received: Called with each signal.
  public init?(
    for rule: String, on bus: OpaquePointer?, received: @escaping (BusMessage) -> Void
  ) {
    self.received = received
    guard systemd.bus_add_match_async(bus, &slot, rule, receiveForListener, nil, context) >= 0
    else { return nil }
  }

  deinit {
    _ = systemd.bus_slot_unref(slot)
  }

  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  fileprivate func receive(_ message: BusMessage) {
    received(message)
  }
}

private func receiveForListener(
  _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
  _: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  guard let context, let message = BusMessage(sharing: message) else { return 0 }
  // It may be dropped meanwhile.
  let listener = Unmanaged<BusListener>.fromOpaque(context).takeUnretainedValue()
  withExtendedLifetime(listener) { listener.receive(message) }
  return 0
}

/// A connection to the system bus, on which each call waits for its answer. Closed with the value.
public struct BusConnection: ~Copyable {
  /// The library's connection, for its functions.
  let pointer: OpaquePointer

  /// - Parameters:
  ///   - takesDescriptors: Whether messages may bring descriptors. Anybody may send a client a signal with one, and closing
  ///     it may take as long as that user likes: so a client takes none, except while it asks for one.
  ///   - address: Where the bus is.
  /// - Throws: ``ControlError/noBus(reason:)``, or ``ControlError/noLibrary(reason:)``.
  public init(takesDescriptors: Bool = false, at address: String = systemBus) throws(ControlError) {
    if let missing = systemd.missing { throw .noLibrary(reason: String(cString: missing)) }
    var bus: OpaquePointer?
    let steps: [() -> CInt] = [
      { systemd.bus_new(&bus) },
      { systemd.bus_set_address(bus, address) },
      { systemd.bus_set_bus_client(bus, 1) },
      { systemd.bus_negotiate_fds(bus, takesDescriptors ? 1 : 0) },
      { systemd.bus_start(bus) },
    ]
    for step in steps {
      let result = step()
      if result < 0 {
        _ = systemd.bus_unref(bus)
        throw .noBus(reason: -result)
      }
    }
    guard let bus else { throw .noBus(reason: ENOMEM) }
    pointer = bus
  }

  public static var systemBus: String {
    getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) }
      ?? "unix:path=/run/dbus/system_bus_socket"
  }

  deinit {
    _ = systemd.bus_flush_close_unref(pointer)
  }

  /// Sends a call, and waits for its answer.
  ///
  /// - Parameter patience: For how long at most, in microseconds.
  func answer(to call: BusMessage, patience: UInt64) throws(BusError) -> BusMessage {
    var error = sd_bus_error()
    var answer: OpaquePointer?
    defer {
      systemd.bus_error_free(&error)
      _ = systemd.bus_message_unref(answer)
    }
    let result =
      call.isWhole
      ? systemd.bus_call(pointer, call.pointer, patience, &error, &answer) : -call.failure
    guard result >= 0, let answer = BusMessage(sharing: answer) else {
      throw BusError(error, reason: -result)
    }
    return answer
  }

  /// What a property of an object is, if that is a string.
  ///
  /// - Parameter patience: For how long to wait at most, in microseconds.
  public func property(_ name: String, of object: RemoteObject, patience: UInt64) -> String? {
    let properties = RemoteObject(
      service: object.service, path: object.path, interface: "org.freedesktop.DBus.Properties")
    let call = BusMessage.call("Get", of: properties, on: pointer, object.interface, name)
    guard let call, let answer = try? answer(to: call, patience: patience) else { return nil }
    return answer.read(.variant, of: "s") { answer.readString() } ?? nil
  }
}
