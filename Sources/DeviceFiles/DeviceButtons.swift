import Configuration
import Debounce
import Terminal

/// The buttons of a device that its file should name, and what kind of device they make it.
struct DeviceButtons {
  enum Kind {
    case mouse
    /// A joystick, a game pad, a box of arcade buttons.
    case pad
    /// A foot pedal, a remote control, buttons on pins: a device of few keys.
    case pedal
    /// A keyboard has so many keys that its file names none.
    case keyboard
  }

  let kind: Kind
  /// The buttons in the order of their numbers; empty for a keyboard.
  let keys: [KeyCode]

  /// A device with more keys is taken for a keyboard.
  private static let few = 16

  /// - Returns: `nil` if the device has no button that a file could name.
  init?(of device: DeviceDescription) {
    let named = (device.keys.map { Array($0) } ?? []).filter { KeyNames.hasName($0) }
    func keys(in ranges: ClosedRange<KeyCode>...) -> [KeyCode] {
      named.filter { key in ranges.contains { $0.contains(key) } }
    }
    // BTN_0 to BTN_9.
    let numbered = keys(in: 0x100...0x109)
    // BTN_LEFT to BTN_TASK.
    let ofMouse = keys(in: 0x110...0x117)
    // BTN_TRIGGER to BTN_DEAD, BTN_SOUTH to BTN_THUMBR, the directions, and BTN_TRIGGER_HAPPY.
    let ofPad = keys(in: 0x120...0x12f, 0x130...0x13e, 0x220...0x223, 0x2c0...0x2e7)
    // BTN_TOOL_PEN to BTN_TOOL_QUADTAP tell which tool or finger is near, and are no buttons.
    let tools = keys(in: 0x140...0x14f)
    let rest = Set(named).subtracting(numbered + ofMouse + ofPad + tools)
    if device.properties?["ID_INPUT_KEYBOARD"] == "1" {
      (kind, self.keys) = (.keyboard, [])
    } else if !ofMouse.isEmpty {
      (kind, self.keys) = (.mouse, ofMouse)
    } else if !ofPad.isEmpty {
      (kind, self.keys) = (.pad, ofPad)
    } else if numbered.isEmpty, rest.count > Self.few {
      (kind, self.keys) = (.keyboard, [])
    } else {
      let few = numbered + (rest.count > Self.few ? [] : rest)
      // The keys of a knob step by themselves, and need no debouncing. A device that has no other keys has them as buttons.
      let pressed = few.filter { Rules().strategy(of: $0) != .none }
      (kind, self.keys) = (.pedal, (pressed.isEmpty ? few : pressed).sorted())
      guard !self.keys.isEmpty else { return nil }
    }
  }

  /// The setting of each button, and the comments on it and on everything else; `nil` for a keyboard, whose keys share the
  /// defaults.
  var words: (setting: String, others: String, reason: String)? {
    switch kind {
    case .mouse:
      (
        "{ strategy = \"adaptive\", threshold = 25, suspect = 80 }",
        "Movements, the wheel and all that is not named below pass as they are.",
        """
        A click within 80 ms of the one before counts if it is held for 25 ms, and comes so late; every other press is passed \
        on at once. A release waits 25 ms, 37 after a quick click: if the button is pressed again meanwhile, it was never let \
        go. So clicks are not doubled, what is dragged is not dropped, and a finger may click 12 times a second.
        """
      )
    case .pad:
      (
        "{ strategy = \"eager-defer\", threshold = 15 }",
        "Sticks, and all that is not named below, pass as they are.",
        """
        Every press is passed on at once, every release 15 ms late: if the button is pressed again meanwhile, it was never \
        let go.
        """
      )
    case .pedal:
      (
        "{ strategy = \"eager-defer\", threshold = 40 }",
        "All that is not named below passes as it is.",
        """
        Every press is passed on at once, every release 40 ms late: if the contact closes again meanwhile, it was never open. \
        Treads and wires bounce for so long; a foot is slower.
        """
      )
    case .keyboard: nil
    }
  }

  /// The lines of a device file about the buttons.
  var settings: String {
    guard let words else {
      return TOML.comment(
        """
        Its keys have the settings in keydebounce.toml, or those that are packaged. Under [keys], single ones can have \
        others.
        """)
    }
    let names = keys.map { KeyNames.name(of: $0) }
    let width = names.map(\.count).max() ?? 0
    let wheel = """

      # A wheel that runs backwards now and then needs the first two of these lines,
      # too, and one that scrolls twice at each notch the first and the last:
      # [wheel]
      # reversal = 80
      # double = 8

      """
    return """
      \(TOML.comment(words.others))[debounce]
      strategy = "none"

      \(TOML.comment(words.reason))[keys]
      \(names.map { "\($0.padded(to: width)) = \(words.setting)\n" }.joined())\(kind == .mouse ? wheel : "")
      """
  }
}

extension KeyNames {
  /// Whether a file can name the key.
  static func hasName(_ key: KeyCode) -> Bool { code(named: name(of: key)) == key }
}
