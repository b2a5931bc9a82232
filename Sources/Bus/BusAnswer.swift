import CSystemd

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
