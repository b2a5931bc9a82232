/// Tells whether a machine types on a device, as ``Adaptive`` judges, without deciding on anything.
public struct MachineWatch: Equatable, Sendable {
  private var machine = MachineTyping()
  private var presses: [KeyCode: Microseconds] = [:]

  public init() {}

  /// Whether a machine has typed: a bar code scanner, a macro, an expander of text.
  public var hasSeenMachine: Bool { machine.isCertain }

  /// Receives an edge.
  ///
  /// - Parameters:
  ///   - key: The key that moved.
  ///   - isDown: Whether it went down.
  ///   - time: When it came, on a clock that does not go back. Microseconds.
  public mutating func receive(_ key: KeyCode, isDown: Bool, at time: Microseconds) {
    let rule = Adaptive()
    machine.move(at: time, pause: rule.pause)
    guard !key.isModifier else { return machine.moveModifier(at: time) }
    if isDown {
      guard presses.updateValue(time, forKey: key) == nil else { return }
      machine.press()
      if machine.isTyping { machine.type() }
    } else if let press = presses.removeValue(forKey: key) {
      _ = machine.release(key, isShort: time - press < rule.shortContact)
    }
  }
}
