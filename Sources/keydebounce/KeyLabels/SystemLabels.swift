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
