import Bus
import CXKB
import Debounce
import EventDevices
import Status
import Terminal

extension LayoutLabels {
  /// What stands on the keys of this system's layout, where it is something else than the kernel's names say. Empty where
  /// the layout is not known, or libxkbcommon is not there.
  ///
  /// - Parameter characters: Which can be shown; other labels are left out.
  public static func ofSystem(in characters: Characters) -> [KeyCode: String] {
    guard let layout = SystemLayout.present else { return [:] }
    return unusual(labels(of: layout), in: characters)
  }

  /// Those of the labels that differ from the kernel's names, and can be shown.
  static func unusual(_ labels: [KeyCode: String], in characters: Characters) -> [KeyCode: String] {
    let usual: [KeyCode: String] = KeyboardLayout(hasNumpad: false, hasAngleKey: true).rows.joined()
      .reduce(into: [:]) { $0[$1.code] = $1.label }
    return labels.filter { code, label in
      label != usual[code] && (characters == .unicode || label.utf8.allSatisfy { $0 < 0x80 })
    }
  }
}

extension SystemLayout {
  /// This system's: as `localed` reports it, or else as the files say from which it is set.
  static var present: SystemLayout? {
    func text(_ path: String) -> String? {
      (try? WholeFile.read(path)).map { String(decoding: $0, as: UTF8.self) }
    }
    return LocaleService.layout()
      ?? text("/etc/default/keyboard").flatMap(SystemLayout.init(debianText:))
      ?? text("/etc/X11/xorg.conf.d/00-keyboard.conf").flatMap(SystemLayout.init(xorgText:))
  }
}

/// What stands on the keys of a layout: what each types without modifiers, in capital letters.
public struct LayoutLabels {
  /// The keys that type characters, from the row of digits down: only these differ from layout to layout.
  static let typingKeys: [KeyCode] =
    Array(2...13) + Array(16...27) + Array(30...41) + Array(43...53) + [86]

  /// The labels; no key has one if the layout is unknown, or libxkbcommon is not there.
  public static func labels(of layout: SystemLayout) -> [KeyCode: String] {
    guard
      let keymap = cxkb_keymap_new(layout.model, layout.layout, layout.variant, layout.options)
    else { return [:] }
    defer { cxkb_keymap_free(keymap) }
    var labels: [KeyCode: String] = [:]
    for code in typingKeys {
      var name = [CChar](repeating: 0, count: 64)
      var text = [CChar](repeating: 0, count: 16)
      guard cxkb_key(keymap, UInt32(code), &name, name.count, &text, text.count) != 0 else {
        continue
      }
      labels[code] = label(named: string(name), typing: string(text))
    }
    return labels
  }

  private static func string(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// What stands on a key.
  ///
  /// - Returns: `nil` if that is nothing that can be shown.
  static func label(named name: String, typing text: String) -> String? {
    if let accent = accents[name] { return accent }
    guard text.count == 1, let scalar = text.unicodeScalars.first, scalar.value > 0x20,
      scalar.value != 0x7f
    else { return nil }
    let capital = text.uppercased()
    // Not “SS” for “ß”.
    return capital.count == 1 ? capital : text
  }

  /// The accents that type nothing until a letter follows.
  private static let accents = [
    "dead_acute": "´", "dead_grave": "`", "dead_circumflex": "^", "dead_diaeresis": "¨",
    "dead_tilde": "~", "dead_cedilla": "¸", "dead_abovering": "°", "dead_caron": "ˇ",
    "dead_breve": "˘", "dead_doubleacute": "˝", "dead_ogonek": "˛", "dead_macron": "¯",
    "dead_abovedot": "˙",
  ]
}

/// Which keyboard layout a system uses, by the names that X11 has for layouts.
public struct SystemLayout: Equatable, Sendable {
  public var model = ""
  /// Such as `de`, or `de,us` where there are several, of which the first counts.
  public var layout: String
  public var variant = ""
  public var options = ""

  public init(_ layout: String, variant: String = "", model: String = "", options: String = "") {
    (self.model, self.layout, self.variant, self.options) = (model, layout, variant, options)
  }

  /// What `/etc/default/keyboard` says: lines such as `XKBLAYOUT="de"`.
  ///
  /// - Returns: `nil` if that is nothing.
  public init?(debianText text: String) {
    var values: [Substring: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.drop { $0 == " " }
      guard !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") else { continue }
      let value = line[line.index(after: equals)...].filter { $0 != "\"" && $0 != "'" }
      values[line[..<equals]] = value.split(separator: " ").first.map(String.init) ?? ""
    }
    self.init(
      layout: values["XKBLAYOUT"], variant: values["XKBVARIANT"], model: values["XKBMODEL"],
      options: values["XKBOPTIONS"])
  }

  /// What a file of X11's configuration says: lines such as `Option "XkbLayout" "de"`.
  ///
  /// - Returns: `nil` if that is nothing.
  public init?(xorgText text: String) {
    var values: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.split(separator: "\"", omittingEmptySubsequences: false)
      guard words.count >= 4, words[0].filter({ !$0.isWhitespace }).lowercased() == "option" else {
        continue
      }
      values[words[1].lowercased()] = String(words[3])
    }
    self.init(
      layout: values["xkblayout"], variant: values["xkbvariant"], model: values["xkbmodel"],
      options: values["xkboptions"])
  }

  /// - Returns: `nil` without a layout.
  public init?(layout: String?, variant: String?, model: String?, options: String?) {
    guard let layout, !layout.isEmpty else { return nil }
    self.init(layout, variant: variant ?? "", model: model ?? "", options: options ?? "")
  }
}

/// What `localed` reports over the system bus.
enum LocaleService {
  private static let service = RemoteObject(
    service: "org.freedesktop.locale1", path: "/org/freedesktop/locale1",
    interface: "org.freedesktop.locale1")
  /// How long an answer may take, in microseconds: labels are worth no longer wait.
  private static let patience: UInt64 = 1_000_000

  /// The layout; `nil` if there is no such service, or it knows none.
  static func layout() -> SystemLayout? {
    do {
      let bus = try BusConnection()
      // Without the first, the others are not asked for.
      guard let layout = bus.property("X11Layout", of: service, patience: patience),
        !layout.isEmpty
      else { return nil }
      return SystemLayout(
        layout: layout, variant: bus.property("X11Variant", of: service, patience: patience),
        model: bus.property("X11Model", of: service, patience: patience),
        options: bus.property("X11Options", of: service, patience: patience))
    } catch {
      return nil
    }
  }
}
