import EventDevices
import Terminal

/// A device that another program has grabbed: which programs it may be, and what to do so that both work.
///
/// The kernel tells nobody who has grabbed a device, but root sees who has it open.
public struct HeldDevice: Equatable, Sendable {
  public var name: String
  /// The name of its clone; `nil` if it has none.
  public var cloneName: String?
  public var keydID: KeydID
  public var programs: [DeviceHolder]

  public init(name: String, cloneName: String?, keydID: KeydID, programs: [DeviceHolder]) {
    (self.name, self.cloneName, self.keydID, self.programs) = (name, cloneName, keydID, programs)
  }

  /// The programs that have the device open, in words.
  public var holders: String {
    let texts = programs.map { "\($0)".printable }
    return switch texts.count {
    case 0: "you cannot see which program has it open; root can"
    case 1: "\(texts[0]) has it open"
    default: "these have it open: \(texts.joined(separator: ", "))"
    }
  }

  /// How to make the other program read what keydebounce passes on. Lines to copy begin with four blanks.
  public var advice: [String] {
    // Other programs tell the clone from the device by a name of its own.
    let ownName = cloneName == name ? nil : cloneName
    let naming =
      ownName != nil
      ? []
      : [
        "In /etc/keydebounce/keydebounce.toml, write below [defaults]:",
        "    clone-name = \"%s (debounced)\"",
        "Then run “sudo systemctl restart keydebounce”.",
      ]
    // Debian calls keyd “keyd.rvaiya”.
    let names = programs.compactMap {
      $0.program.split { !$0.isLetter && !$0.isNumber }.first
    }
    let clone = (ownName ?? "\(name) (debounced)").printable
    switch names.first(where: { ["keyd", "kanata"].contains($0) }) {
    case "keyd":
      return naming + [
        "In each file in /etc/keyd for this device, write first below [ids]:",
        "    -\(keydID)",
        "Then run “sudo keyd reload”: keyd grabs keydebounce's clone, and not this device.",
      ]
    // A quotation mark ends a text in kanata's file: a device's name with one would add lines of its own.
    case "kanata" where !clone.utf8.contains(UInt8(ascii: "\"")):
      return naming + [
        "In kanata's file, write into (defcfg …), in the place of linux-dev:",
        "    linux-dev-names-include (\"\(clone)\")",
        // Without this, kanata ends if it is started while the clone is not there.
        "    linux-continue-if-no-devs-found yes",
        "Then restart kanata: it grabs keydebounce's clone, and not this device.",
      ]
    // Another keydebounce has grabbed the device: no setting helps.
    case _ where programs.contains(where: { $0.program == "keydebounce" }): return []
    default:
      return [
        "Only one program can grab a device. Stop the other, or have it read keydebounce's clone of the device: see "
          + "keydebounce-remappers(7)."
      ]
    }
  }
}
