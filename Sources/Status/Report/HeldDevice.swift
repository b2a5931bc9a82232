import EventDevices
import Terminal

/// A device that another program has grabbed: which programs it may be, and what to do so that both work.
///
/// The kernel tells nobody who has grabbed a device, but root sees who has it open.
public struct HeldDevice: Equatable, Sendable {
  /// A line of what to do.
  public enum Line: Equatable, Sendable {
    case sentence(String)
    /// To be written as it stands.
    case literal(String)
  }

  /// A program that has the device open.
  public struct Program: Equatable, Sendable {
    public var name: String
    public var process: Int32

    public init(name: String, process: Int32) {
      self.name = name
      self.process = process
    }
  }

  /// The device's name.
  public var name: String
  /// The name of its clone; `nil` if it has none.
  public var cloneName: String?
  public var keydID: KeydID
  public var programs: [Program]

  public init(name: String, cloneName: String?, keydID: KeydID, programs: [Program]) {
    self.name = name
    self.cloneName = cloneName
    self.keydID = keydID
    self.programs = programs
  }

  /// Who has it open, in words.
  public var holders: String {
    let texts = programs.map { "\($0.name.printable) (process \($0.process))" }
    return switch texts.count {
    case 0: "no program that has it open can be seen; root sees all"
    case 1: "\(texts[0]) has it open"
    default: "these have it open: \(texts.joined(separator: ", "))"
    }
  }
}

// MARK: - What to do

extension HeldDevice {
  /// The programs for which it is known what to write.
  private enum Remapper {
    case keyd
    case kanata

    /// - Parameter program: A process's name; Debian calls keyd “keyd.rvaiya”.
    init?(program: String) {
      switch program.split(whereSeparator: { !$0.isLetter && !$0.isNumber }).first {
      case "keyd": self = .keyd
      case "kanata": self = .kanata
      default: return nil
      }
    }
  }

  /// What to do so that the other program reads what keydebounce passes on.
  public var advice: [Line] {
    if let remapper = programs.lazy.compactMap({ Remapper(program: $0.name) }).first {
      return naming + lines(for: remapper)
    }
    // Another keydebounce, or one that has not lent the device.
    guard !programs.contains(where: { $0.name == "keydebounce" }) else { return [] }
    return [
      .sentence(
        "Only one program can grab a device. Stop the other, or start it after keydebounce and let it read "
          + "keydebounce's device: keydebounce-remappers(7).")
    ]
  }

  /// The name by which others can tell the clone from the device.
  private var nameOfClone: String {
    if let cloneName, cloneName != name { cloneName } else { "\(name) (debounced)" }
  }

  /// What gives the clone such a name, unless it has one.
  private var naming: [Line] {
    if let cloneName, cloneName != name { return [] }
    return [
      .sentence("In /etc/keydebounce/keydebounce.toml, below [defaults]:"),
      .literal("clone-name = \"%s (debounced)\""),
      .sentence("Then “sudo systemctl restart keydebounce”."),
    ]
  }

  private func lines(for remapper: Remapper) -> [Line] {
    switch remapper {
    case .keyd:
      [
        .sentence("In each file in /etc/keyd that is for this device, first below [ids]:"),
        .literal("-\(keydID)"),
        .sentence("Then “sudo keyd reload”: it takes keydebounce's device and leaves this one."),
      ]
    case .kanata:
      [
        .sentence("In kanata's file, in (defcfg …), in place of linux-dev if that is there:"),
        .literal("linux-dev-names-include (\"\(nameOfClone.printable)\")"),
        // It ends otherwise if it is started while the clone is not there.
        .literal("linux-continue-if-no-devs-found yes"),
        .sentence("Then start kanata again: it takes keydebounce's device and leaves this one."),
      ]
    }
  }
}
