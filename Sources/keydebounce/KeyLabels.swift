import CXKB
import Debounce
import Files
import Reports
import Status
import Terminal

/// The labels on the keys of a layout: the character that each types without modifiers, as a capital letter.
enum LayoutLabels {
  /// The labels of the keys of this system's layout, where they differ from the kernel's names and can be shown. Empty where the
  /// layout is not known, or libxkbcommon is not there.
  static func ofSystem() -> [KeyCode: String] {
    SystemLayout.inFiles.map { unusual(labels(of: $0), in: .ofLocale) } ?? [:]
  }

  static func unusual(_ labels: [KeyCode: String], in characters: Characters) -> [KeyCode: String] {
    let usual: [KeyCode: String] = KeyboardLayout(hasNumpad: false, hasAngleKey: true).rows.joined()
      .reduce(into: [:]) { $0[$1.code] = $1.label }
    return labels.filter { code, label in
      label != usual[code] && (characters == .unicode || label.utf8.allSatisfy { $0 < 0x80 })
    }
  }

  /// The keys that type characters, from the row of digits down: only these differ from layout to layout.
  private static let typingKeys: [KeyCode] =
    Array(2...13) + Array(16...27) + Array(30...41) + Array(43...53) + [86]

  static func labels(of layout: SystemLayout) -> [KeyCode: String] {
    var keys = [cxkb_key](repeating: cxkb_key(), count: typingKeys.count)
    guard
      cxkb_read(
        layout.model, layout.layout, layout.variant, layout.options, typingKeys, keys.count, &keys)
    else { return [:] }
    return zip(typingKeys, keys).reduce(into: [:]) { labels, entry in
      let text = withUnsafeBytes(of: entry.1.text) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      labels[entry.0] = label(of: entry.1.symbol, typing: text)
    }
  }

  /// - Parameter symbol: The number of its keysym.
  /// - Returns: `nil` if the key types nothing that can be shown.
  static func label(of symbol: UInt32, typing text: String) -> String? {
    let accent = Int(symbol) - firstAccent
    if accents.indices.contains(accent) { return String(accents[accent]) }
    guard text.count == 1, let scalar = text.unicodeScalars.first, scalar.value > 0x20,
      scalar.value != 0x7f
    else { return nil }
    let capital = text.uppercased()
    // Not “SS” for “ß”.
    return capital.count == 1 ? capital : text
  }

  /// The accents that type nothing until a letter follows, in the order of their keysyms from `XK_dead_grave` on.
  private static let accents = Array("`´^~¯˘˙¨°˝ˇ¸˛")
  private static let firstAccent = 0xfe50
}

/// Which keyboard layout a system uses, by the names that X11 has for layouts.
struct SystemLayout: Equatable {
  /// Such as `de`, or `de,us` where there are several, of which the first counts.
  var layout: String
  var variant = ""
  var model = ""
  var options = ""
}

extension SystemLayout {
  /// The layout of the system's files, in the order in which tools that set a layout trust them: Debian's, systemd's, X11's.
  static var inFiles: SystemLayout? {
    let files = [
      "/etc/default/keyboard", "/etc/vconsole.conf", "/etc/X11/xorg.conf.d/00-keyboard.conf",
    ]
    return files.lazy.compactMap { path in
      (try? WholeFile.read(path)).flatMap {
        SystemLayout(text: String(decoding: $0, as: UTF8.self))
      }
    }.first
  }

  /// The layout in a file: lines such as `XKBLAYOUT="de"` in Debian's and systemd's, and `Option "XkbLayout" "de"` in X11's.
  ///
  /// - Returns: `nil` if it names no layout.
  init?(text: String) {
    var values: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.prefix { $0 != "#" }.split { " \t=\"'".contains($0) }
        .drop { $0.lowercased() == "option" }
      guard let name = words.first else { continue }
      values[name.lowercased()] = words.dropFirst().first.map(String.init) ?? ""
    }
    guard let layout = values["xkblayout"], !layout.isEmpty else { return nil }
    self.init(
      layout: layout, variant: values["xkbvariant"] ?? "", model: values["xkbmodel"] ?? "",
      options: values["xkboptions"] ?? "")
  }
}
