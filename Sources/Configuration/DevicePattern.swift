import EventDevices
import Files
import Terminal

/// The lines that say which devices a file is about. Every one of them must match.
public struct DevicePattern: Equatable, Sendable {
  /// The pattern for the name, without the blanks at the name's ends.
  public var name: Glob?
  public var vendor: UInt16?
  public var product: UInt16?
  public var version: UInt16?
  public var phys: Glob?
  public var uniq: Glob?
  /// The pattern for one of the device's links. With a slash, it must match the whole path, and otherwise the last part:
  /// `usb-Keychron_*` matches `/dev/input/by-id/usb-Keychron_K2-event-kbd`.
  public var link: Glob?
  public var seat: Glob?
  /// Patterns for udev's properties, by name; each is a line of the pattern.
  public var properties: [String: Glob] = [:]

  /// Whether the pattern has no lines. Then it matches every device and names none. Such a file alone does not make
  /// keydebounce take a device that it would leave alone.
  public var isEmpty: Bool { self == DevicePattern() }

  /// Whether the pattern tells some devices from others: it has a number, or text besides wildcards.
  var tellsDevices: Bool { !numbers.isEmpty || specificity.characters > 0 }

  /// Whether the pattern matches a device. A fact that is not known of the device counts as matching.
  public func matches(_ device: DeviceDescription) -> Bool {
    func isMet(_ glob: Glob?, by texts: [String]?) -> Bool {
      guard let glob, let texts else { return true }
      return texts.contains(where: glob.matches)
    }
    let isWholePath = link?.pattern.contains("/") == true
    let links = device.links?.map { path in
      isWholePath ? path : String(path.split(separator: "/").last ?? "")
    }
    return [(vendor, device.vendor), (product, device.product), (version, device.version)]
      .allSatisfy { $0 == nil || $0 == $1 }
      && isMet(name, by: [device.name.withoutBlanksAtEnds])
      && isMet(phys, by: device.phys.map { [$0] }) && isMet(uniq, by: device.uniq.map { [$0] })
      && isMet(link, by: links) && isMet(seat, by: device.seat.map { [$0] })
      && properties.allSatisfy { name, glob in
        isMet(glob, by: device.properties.map { [$0[name]].compactMap(\.self) })
      }
  }

  /// The pattern that somebody meant who left out the 0x before the digits that `list` shows.
  var readAsHexadecimal: DevicePattern {
    var pattern = self
    for number in [\DevicePattern.vendor, \.product, \.version] {
      pattern[keyPath: number] = self[keyPath: number].flatMap { UInt16("\($0)", radix: 16) }
    }
    return pattern
  }

  /// How specific a pattern is: by the number of lines, then of lines without wildcards, then of characters other than
  /// wildcards.
  public var specificity: (lines: Int, exactLines: Int, characters: Int) {
    (
      numbers.count + globs.count, numbers.count + globs.count { !$0.glob.hasWildcards },
      globs.map(\.glob.literalCount).reduce(0, +)
    )
  }

  private var numbers: [(name: String, number: UInt16)] {
    [("vendor", vendor), ("product", product), ("version", version)]
      .compactMap { name, number in number.map { (name, $0) } }
  }

  private var globs: [(name: String, glob: Glob)] {
    [("name", name), ("phys", phys), ("uniq", uniq), ("link", link), ("seat", seat)]
      .compactMap { name, glob in glob.map { (name, $0) } }
      + properties.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

extension DevicePattern: CustomStringConvertible {
  public var description: String {
    var lines = globs.map { "\($0.name) “\($0.glob.pattern)”" }
    lines.insert(
      contentsOf: numbers.map { "\($0.name) 0x\($0.number.hexadecimal())" },
      at: name == nil ? 0 : 1)
    return lines.joined(separator: ", ").printable
  }
}

public struct DeviceTie: Error, Equatable, CustomStringConvertible {
  public let name: String
  public let files: [String]

  public var description: String {
    """
    several files match “\(name.printable)” equally well: \
    \(files.map(\.printable).joined(separator: ", ")); \
    expected one that says more about it in its [device] than the others
    """
  }
}

extension StringProtocol {
  /// The text without blanks at its ends. Some devices have such blanks in their names.
  public var withoutBlanksAtEnds: String {
    let start = drop { $0.isWhitespace }
    return start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) } ?? ""
  }
}
