import CSystemd
import Glibc
import SystemPackage

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
    guard let pointer = csystemd_bus_message_ref(pointer) else { return nil }
    self.pointer = pointer
  }

  /// A message that nobody else owns.
  fileprivate init?(owning pointer: OpaquePointer?) {
    guard let pointer else { return nil }
    self.pointer = pointer
  }

  deinit {
    csystemd_bus_message_unref(pointer)
  }

  /// A call that can be sent; `nil` if it cannot be made.
  public static func call(
    _ member: String, of object: RemoteObject, on bus: OpaquePointer
  ) -> BusMessage? {
    var call: OpaquePointer?
    csystemd_bus_message_new_method_call(
      bus, &call, object.service, object.path, object.interface, member)
    return BusMessage(owning: call)
  }

  /// The question what a property of an object is; `nil` if it cannot be made.
  public static func question(
    for property: String, of object: RemoteObject, on bus: OpaquePointer
  ) -> BusMessage? {
    let properties = RemoteObject(
      service: object.service, path: object.path, interface: "org.freedesktop.DBus.Properties")
    guard let call = BusMessage.call("Get", of: properties, on: bus) else { return nil }
    call.append(object.interface)
    call.append(property)
    return call
  }

  /// A signal that can be sent; `nil` if it cannot be made.
  public static func signal(
    _ member: String, of object: RemoteObject, on bus: OpaquePointer
  ) -> BusMessage? {
    var signal: OpaquePointer?
    csystemd_bus_message_new_signal(bus, &signal, object.path, object.interface, member)
    return BusMessage(owning: signal)
  }

  /// The answer to this call, that can be sent; `nil` if it cannot be made.
  public func makeAnswer() -> BusMessage? {
    var answer: OpaquePointer?
    csystemd_bus_message_new_method_return(pointer, &answer)
    return BusMessage(owning: answer)
  }

  /// Sends it, and waits for nothing. It is dropped where that is not possible, because the bus is gone or full.
  public func send() {
    if isWhole { csystemd_bus_message_send(pointer) }
  }

  /// Who sent it, by its own name on the bus, such as `:1.42`.
  public var sender: String {
    csystemd_bus_message_get_sender(pointer).map(String.init(cString:)) ?? ""
  }

  /// The method that is called, or the signal's name.
  public var member: String {
    csystemd_bus_message_get_member(pointer).map(String.init(cString:)) ?? ""
  }

  /// Whether the caller wants an answer.
  public var wantsAnswer: Bool { csystemd_bus_message_get_expect_reply(pointer) > 0 }

  /// Has a call of a service that does not run fail, instead of starting the service.
  public func startNothing() {
    csystemd_bus_message_set_auto_start(pointer, 0)
  }

  /// Answers with an error. Like every answer that cannot be sent, it is dropped then: only the caller waits for it.
  public func refuse(_ name: String, _ text: String) {
    csystemd_reply_error(pointer, name, text)
  }

  /// Whether it is an answer that reports an error.
  public var isError: Bool { csystemd_bus_message_is_method_error(pointer, nil) > 0 }

  /// The error's name, if it is one.
  public var errorName: String? {
    csystemd_bus_message_get_error(pointer)?.pointee.name.map(String.init(cString:))
  }

  /// What the error says, if it is one.
  public var errorText: String? {
    csystemd_bus_message_get_error(pointer)?.pointee.message.map(String.init(cString:))
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

// MARK: - Arguments

extension BusMessage {
  /// What holds several values. Its contents are given as D-Bus writes their types, such as `sv`.
  public enum Container {
    case array, structure, variant, entry

    fileprivate var type: CChar {
      switch self {
      case .array: CChar(ascii: "a")
      case .structure: CChar(ascii: "r")
      case .variant: CChar(ascii: "v")
      case .entry: CChar(ascii: "e")
      }
    }
  }

  public func append(_ text: String) {
    note(csystemd_bus_message_append_basic(pointer, .string, text))
  }

  public func append(_ texts: [String]) {
    append(.array, of: "s") { for text in texts { append(text) } }
  }

  public func append(_ number: UInt32) {
    withUnsafePointer(to: number) { note(csystemd_bus_message_append_basic(pointer, .number, $0)) }
  }

  public func append(_ flag: Bool) {
    var number: CInt = flag ? 1 : 0
    note(csystemd_bus_message_append_basic(pointer, .flag, &number))
  }

  /// Appends a copy of a descriptor.
  public func append(_ descriptor: FileDescriptor) {
    withUnsafePointer(to: descriptor.rawValue) {
      note(csystemd_bus_message_append_basic(pointer, .descriptor, $0))
    }
  }

  /// Appends a container with what `fill` appends.
  public func append(_ container: Container, of contents: String, _ fill: () -> Void = {}) {
    note(csystemd_bus_message_open_container(pointer, container.type, contents))
    fill()
    note(csystemd_bus_message_close_container(pointer))
  }

  private func note(_ result: CInt) {
    if result < 0, failure == 0 { failure = -result }
  }

  /// The next argument, if it is a string.
  ///
  /// - Parameter limit: How many bytes it may have: a longer one is not copied, and `nil`.
  public func readString(upTo limit: Int = .max, path isPath: Bool = false) -> String? {
    var text: UnsafePointer<CChar>?
    guard csystemd_bus_message_read_basic(pointer, isPath ? .path : .string, &text) > 0, let text
    else { return nil }
    return limit == .max || strnlen(text, limit + 1) <= limit ? String(cString: text) : nil
  }

  /// The string in a variant that is the next argument: what a property is.
  public func readProperty() -> String? { read(.variant, of: "s") { readString() } ?? nil }

  /// The next argument, if it is strings.
  public func readStrings() -> [String]? {
    read(.array, of: "s") {
      var strings: [String] = []
      while let string = readString() { strings.append(string) }
      return strings
    }
  }

  /// The next argument, if it is a number without a sign.
  public func readNumber() -> UInt32? {
    var number: UInt32 = 0
    return csystemd_bus_message_read_basic(pointer, .number, &number) > 0 ? number : nil
  }

  /// The next argument, if it says yes or no.
  public func readFlag() -> Bool? {
    var flag: CInt = 0
    return csystemd_bus_message_read_basic(pointer, .flag, &flag) > 0 ? flag != 0 : nil
  }

  /// What `copy` makes of the next argument, if it is a descriptor: the message closes its own.
  public func readDescriptor(_ copy: (FileDescriptor) -> FileDescriptor?) -> FileDescriptor? {
    var descriptor: CInt = -1
    guard csystemd_bus_message_read_basic(pointer, .descriptor, &descriptor) > 0 else { return nil }
    return copy(FileDescriptor(rawValue: descriptor))
  }

  /// What `body` reads of the next argument, if that is such a container.
  public func read<Result>(
    _ container: Container, of contents: String, _ body: () -> Result
  ) -> Result? {
    guard csystemd_bus_message_enter_container(pointer, container.type, contents) > 0 else {
      return nil
    }
    defer { csystemd_bus_message_exit_container(pointer) }
    return body()
  }

  /// Leaves out the next arguments, of the types given.
  public func skip(_ types: String) {
    csystemd_bus_message_skip(pointer, types)
  }
}

extension CChar {
  fileprivate init(ascii character: Unicode.Scalar) {
    self.init(UInt8(ascii: character))
  }

  fileprivate static let string = CChar(ascii: "s")
  fileprivate static let path = CChar(ascii: "o")
  fileprivate static let number = CChar(ascii: "u")
  fileprivate static let flag = CChar(ascii: "b")
  fileprivate static let descriptor = CChar(ascii: "h")
}

/// What came of a call that was waited for.
public enum BusAnswer {
  case answered(BusMessage)
  /// An error, with its name and text where the bus or the one who was called gave them; `reason` is an `errno`.
  case failed(name: String?, text: String?, reason: CInt)
}

extension BusMessage {
  /// Sends a call, and waits for its answer.
  ///
  /// - Parameter patience: For how long at most, in microseconds.
  public func call(on bus: OpaquePointer, patience: UInt64) -> BusAnswer {
    guard isWhole else { return .failed(name: nil, text: nil, reason: failure) }
    var answer: OpaquePointer?
    var error = sd_bus_error()
    defer {
      csystemd_bus_error_free(&error)
      csystemd_bus_message_unref(answer)
    }
    let result = csystemd_bus_call(bus, pointer, patience, &error, &answer)
    guard result >= 0, let answer = BusMessage(sharing: answer) else {
      return .failed(
        name: error.name.map(String.init(cString:)), text: error.message.map(String.init(cString:)),
        reason: -result)
    }
    return .answered(answer)
  }
}

/// A connection to the system bus, on which each call waits for its answer. Closed with the value.
public struct BusConnection: ~Copyable {
  /// The library's connection, for its functions.
  let pointer: OpaquePointer

  /// - Throws: ``ControlError/noBus(reason:)``, or ``ControlError/noLibrary(reason:)``.
  public init() throws(ControlError) {
    if let missing = csystemd_missing() { throw .noLibrary(reason: String(cString: missing)) }
    var bus: OpaquePointer?
    let result = csystemd_bus_open_system(&bus)
    guard result >= 0, let bus else { throw .noBus(reason: -result) }
    pointer = bus
  }

  deinit {
    csystemd_bus_flush_close_unref(pointer)
  }

  /// What a property of an object is, if that is a string.
  ///
  /// - Parameter patience: For how long to wait at most, in microseconds.
  public func property(_ name: String, of object: RemoteObject, patience: UInt64) -> String? {
    guard let call = BusMessage.question(for: name, of: object, on: pointer),
      case .answered(let answer) = call.call(on: pointer, patience: patience)
    else { return nil }
    return answer.readProperty()
  }
}
