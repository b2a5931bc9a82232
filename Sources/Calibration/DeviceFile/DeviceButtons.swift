import Configuration
import Debounce

/// The buttons of a device that its file should name, and what kind of device they make it.
struct DeviceButtons: Equatable {
  enum Kind: Equatable {
    case mouse
    /// A joystick, a game pad, a box of arcade buttons.
    case pad
    /// A foot pedal, a remote control, buttons on pins: few keys, each of them meant.
    case pedal
    /// So many keys that none is named.
    case keyboard
  }

  let kind: Kind
  /// In the order of their numbers; none of a keyboard.
  let keys: [KeyCode]

  /// How many keys a device has at most that is not taken for a keyboard.
  private static let few = 16

  /// - Returns: `nil` if the device has no button that a file could name.
  init?(of device: DeviceDescription) {
    let named = (device.keys.map { Array($0) } ?? []).filter { KeyNames.hasName($0) }
    let ofMouse = named.filter(Self.isMouseButton)
    let ofPad = named.filter(Self.isPadButton)
    let numbered = named.filter { Self.numbered.contains($0) }
    let others = named.filter { key in
      !Self.isMouseButton(key) && !Self.isPadButton(key) && !Self.numbered.contains(key)
        && !Self.tools.contains(key)
    }
    let isFew = others.count <= Self.few
    if device.properties?["ID_INPUT_KEYBOARD"] == "1" {
      (kind, keys) = (.keyboard, [])
    } else if !ofMouse.isEmpty {
      (kind, keys) = (.mouse, ofMouse)
    } else if !ofPad.isEmpty {
      (kind, keys) = (.pad, ofPad)
    } else if numbered.isEmpty, !isFew {
      (kind, keys) = (.keyboard, [])
    } else {
      let few = (numbered + (isFew ? others : [])).sorted()
      // Each step of a knob is meant; a device with nothing but such keys has them as buttons.
      let pressed = few.filter { Rules().strategy(of: $0) != .none }
      (kind, keys) = (.pedal, pressed.isEmpty ? few : pressed)
      guard !keys.isEmpty else { return nil }
    }
  }

  /// `BTN_0` to `BTN_9`.
  private static let numbered: ClosedRange<KeyCode> = 0x100...0x109
  /// `BTN_TOOL_PEN` to `BTN_TOOL_QUADTAP`: what is near a tablet or on a touchpad, which is no button.
  private static let tools: ClosedRange<KeyCode> = 0x140...0x14f

  /// `BTN_LEFT` to `BTN_TASK`.
  private static func isMouseButton(_ key: KeyCode) -> Bool { (0x110...0x117).contains(key) }

  /// `BTN_TRIGGER` to `BTN_DEAD`, `BTN_SOUTH` to `BTN_THUMBR`, the directions, and `BTN_TRIGGER_HAPPY`.
  private static func isPadButton(_ key: KeyCode) -> Bool {
    switch key {
    case 0x120...0x12f, 0x130...0x13e, 0x220...0x223, 0x2c0...0x2e7: true
    default: false
    }
  }
}

extension KeyNames {
  /// Whether a file can name the key.
  fileprivate static func hasName(_ key: KeyCode) -> Bool { code(named: name(of: key)) == key }
}
