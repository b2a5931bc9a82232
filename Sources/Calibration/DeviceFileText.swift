import Configuration
import Debounce
import EventDevices
import Status
import Terminal

/// The device file that a calibration proposes: text for `calibrated.d`.
public struct DeviceFileText {
  /// What the first line of each of our files begins with.
  public static let signature = "# Written by keydebounce calibrate"

  public let text: String
  /// Worn keys that a file of the person's own names: its settings hold.
  public let yoursStand: [KeyCode]
  /// Keys with a line to write but without a name, which no configuration can mention.
  public let nameless: [KeyCode]
  public let hasKeys: Bool

  /// - Parameters:
  ///   - present: The present file, if `calibrate` wrote it: lines of keys are kept that nothing better was found for.
  ///   - written: Keys that the person's own files set for this device.
  public init(_ result: CalibrationResult, present: String? = nil, written: Set<KeyCode> = []) {
    yoursStand = result.worn.map(\.key).filter(written.contains)
    let changed = result.keys.filter { !written.contains($0.key) && $0.changesLine }
    nameless = changed.map(\.key).filter { KeyNames.code(named: KeyNames.name(of: $0)) == nil }
    let nameless = nameless
    var lines = changed.filter { !nameless.contains($0.key) }.compactMap { finding in
      finding.lineText.map {
        KeyLines(
          key: finding.key, comments: Self.comments(on: finding), line: "\(finding.name) = \($0)")
      }
    }
    let settled = Set(changed.map(\.key)).union(written)
    let before = KeyLines.all(in: present ?? "")
    let kept = before.filter { !settled.contains($0.key) }
    lines += kept
    lines.sort { $0.key < $1.key }
    hasKeys = !lines.isEmpty
    // Where no line changes, nothing does.
    text =
      present.flatMap { lines.map(\.line) == before.map(\.line) ? $0 : nil }
      ?? Self.header(result, keeps: !kept.isEmpty) + Self.device(result.device) + "\n[keys]\n"
      + lines.map(\.text).joined(separator: "\n")
  }

  private static func header(_ result: CalibrationResult, keeps: Bool) -> String {
    let text = """
      \(signature) \(Version.current) on \(result.day), from \(result.strokes.counted("stroke")) of \
      \(result.keys.count.counted("key")): \(result.method.inFile).
      """
    let sureness = """
      A key is set only where that is better than what was in force, with 95 % confidence.\
      \(keeps ? " Other lines are from before." : "")
      """
    let manners = """
      What a file in devices.d says of a key takes precedence. Another calibration rewrites this file; to undo \
      it, delete the file and run “keydebounce reload”.
      """
    return [text, sureness, manners].map(commented).joined(separator: "#\n") + "\n"
  }

  /// The lines that say which device the file is about.
  ///
  /// - Parameter more: Lines besides those that every such file has.
  static func device(_ device: DeviceDescription, more: [String] = []) -> String {
    var lines = ["[device]"]
    // An empty name matches nothing.
    if !device.name.isEmpty { lines.append("name    = \(quoted(device.name))") }
    lines += [
      "vendor  = 0x\(device.vendor.hexadecimal())", "product = 0x\(device.product.hexadecimal())",
    ]
    if let uniq = device.uniq, !uniq.isEmpty { lines.append("uniq    = \(quoted(uniq))") }
    if device.isVirtual { lines.append("virtual = true") }
    lines += more
    return lines.map { $0 + "\n" }.joined()
  }

  private static func comments(on finding: KeyFinding) -> String {
    var text = "\(finding.verdict.title): \(finding.rateInWords) strokes are faulty"
    if !finding.isAsked { text += ", at least" }
    if let line = finding.line {
      text +=
        ". Of the faults \(line.before.inWords) came through before, with this \(line.after.inWords)"
    }
    return commented(text.prefix(1).uppercased() + text.dropFirst() + ".")
  }

  /// As lines of a comment, which fit into 80 columns after the sign of a difference, too.
  static func commented(_ text: String) -> String {
    let text = text.hasPrefix("# ") ? String(text.dropFirst(2)) : text
    return text.wrapped(to: 77).map { "# \($0)\n" }.joined()
  }

  /// As a basic string of TOML.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case _ where scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value):
        quoted += "\\u" + scalar.value.hexadecimal()
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension KeyFinding {
  /// Whether the file is to say something else about the key than before.
  fileprivate var changesLine: Bool {
    switch advice {
    case .line, .name: true
    case .nothing, .undecided, .own: false
    }
  }

  /// What the file is to say about it; `nil` for nothing.
  fileprivate var lineText: String? {
    switch advice {
    case .line(let line): line.candidate.text
    case .name(let text): text
    case .nothing, .undecided, .own: nil
    }
  }
}

extension CalibrationResult.Method {
  /// Without private details, such as the path of a recording.
  fileprivate var inFile: String {
    if case .recording = self { "a recording" } else { inWords }
  }
}

/// The lines about one key in a file that `calibrate` wrote: comments and the setting.
struct KeyLines {
  var key: KeyCode
  /// With a newline after each.
  var comments: String
  var line: String

  var text: String { comments + line + "\n" }

  /// Those of a whole file.
  static func all(in text: String) -> [KeyLines] {
    var lines: [KeyLines] = []
    var comments = ""
    var isInKeys = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("[") {
        isInKeys = line == "[keys]"
        comments = ""
      } else if line.hasPrefix("#") {
        comments += line + "\n"
      } else if isInKeys, let end = line.firstIndex(where: { $0 == " " || $0 == "=" }),
        let key = KeyNames.code(named: String(line[..<end]))
      {
        lines.append(KeyLines(key: key, comments: comments, line: String(line)))
        comments = ""
      } else {
        comments = ""
      }
    }
    return lines
  }
}

/// The text of a device file for `devices.d` that has a device taken, or left alone.
struct WrittenDeviceText {
  let text: String
  /// Its lines after those that say which device it is about.
  let settings: String

  /// The file that has a device taken, with each of its buttons named.
  ///
  /// - Parameter others: The devices that are plugged in, from which the file is to tell it.
  init(
    taking device: DeviceDescription, _ buttons: DeviceButtons, beside others: [DeviceDescription]
  ) {
    settings = Self.settings(of: buttons)
    let lines = Self.interface(of: device, beside: others)
    text = Self.marked(
      .take,
      Self.header(
        "keydebounce takes this device because of this file.", opposite: .leave)
        + DeviceFileText.device(device, more: lines) + "\n" + settings)
  }

  /// The file that has a device left alone.
  init(leaving device: DeviceDescription, beside others: [DeviceDescription]) {
    settings = ""
    let lines = Self.interface(of: device, beside: others) + ["ignore  = true"]
    text = Self.marked(
      .leave,
      Self.header(
        "keydebounce leaves this device alone because of this file.", opposite: .take)
        + DeviceFileText.device(device, more: lines))
  }

  private static func marked(_ purpose: DeviceFilePurpose, _ body: String) -> String {
    purpose.mark + "\n" + body
  }

  private static func header(_ what: String, opposite: DeviceFilePurpose) -> String {
    DeviceFileText.commented(
      """
      \(what) “keydebounce forget” deletes the file, “keydebounce \(opposite.rawValue)” replaces it, whatever you have \
      changed in it. Delete the first line, and it is a file of your own, which they never touch.
      """) + "\n"
  }

  private static func settings(of buttons: DeviceButtons) -> String {
    switch buttons.kind {
    case .mouse:
      """
      # Movements, the wheel and all that is not named below pass as they are.
      [debounce]
      strategy = "none"

      # A click within 80 ms of the one before counts if it is held for 25 ms, and
      # comes so late; every other press is passed on at once. A release waits 20 ms,
      # 30 after a quick click: if the button is pressed again meanwhile, it was
      # never let go. So clicks are not doubled, what is dragged is not dropped, and
      # a finger may click 12 times a second.
      [keys]
      \(lines(buttons.keys, "{ strategy = \"adaptive\", threshold = 20, suspect = 80 }"))

      # A wheel that runs backwards now and then needs the first two of these lines,
      # too, and one that scrolls twice at each notch the first and the last:
      # [wheel]
      # reversal = 80
      # double = 8

      """
    case .pad:
      """
      # Sticks, and all that is not named below, pass as they are.
      [debounce]
      strategy = "none"

      # Every press is passed on at once, every release 15 ms late: if the button is
      # pressed again meanwhile, it was never let go.
      [keys]
      \(lines(buttons.keys, "{ strategy = \"eager-defer\", threshold = 15 }"))

      """
    case .pedal:
      """
      # All that is not named below passes as it is.
      [debounce]
      strategy = "none"

      # Every press is passed on at once, every release 40 ms late: if the contact
      # closes again meanwhile, it was never open. Treads and wires bounce for so
      # long; a foot is slower.
      [keys]
      \(lines(buttons.keys, "{ strategy = \"eager-defer\", threshold = 40 }"))

      """
    case .keyboard:
      """
      # Its keys have the settings in keydebounce.toml, or those that are packaged.
      # Under [keys], single ones can have others.

      """
    }
  }

  /// A line for each key, with the names in a column.
  private static func lines(_ keys: [KeyCode], _ setting: String) -> String {
    let names = keys.map { KeyNames.name(of: $0) }
    let width = names.map(\.count).max() ?? 0
    return names.map { "\($0.padded(to: width)) = \(setting)" }.joined(separator: "\n")
  }

  /// What tells the device from another of its name and numbers, such as the keyboard in a mouse: the interface that it is.
  private static func interface(
    of device: DeviceDescription, beside others: [DeviceDescription]
  ) -> [String] {
    guard let own = device.interface else { return [] }
    let hasTwin = others.contains { other in
      other.name == device.name && other.vendor == device.vendor
        && other.product == device.product && (other.uniq ?? "") == (device.uniq ?? "")
        && other.interface.map { $0 != own } ?? false
    }
    return hasTwin ? ["phys    = \(DeviceFileText.quoted("*/" + own))"] : []
  }
}

extension DeviceDescription {
  /// The last part of where it is plugged in, as `input1`: the same whichever socket that is.
  var interface: String? {
    guard let phys = identity.phys, let slash = phys.lastIndex(of: "/") else { return nil }
    let last = phys[phys.index(after: slash)...]
    return last.isEmpty ? nil : String(last)
  }
}

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
