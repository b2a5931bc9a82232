import EventDevices
import Terminal

/// Which devices a file is about: every line of the pattern must match.
public struct DevicePattern: Equatable, Sendable {
  public var name: Glob?
  public var vendor: UInt16?
  public var product: UInt16?
  public var version: UInt16?
  public var phys: Glob?
  public var uniq: Glob?
  /// Matches if it matches one of the device's links: the whole path if it has a slash, the last part otherwise:
  /// `usb-Keychron_*` is `/dev/input/by-id/usb-Keychron_K2-event-kbd`.
  public var link: Glob?
  /// The seat to which the device belongs.
  public var seat: Glob?
  /// Patterns for udev's properties, by name; each is a line of the pattern.
  public var properties: [String: Glob] = [:]

  /// The pattern that matches every device.
  public init() {}

  /// Whether the pattern has no lines. Then it matches every device, but names none: such a file alone is no reason to
  /// take a device that would be left alone without it.
  public var isEmpty: Bool { self == DevicePattern() }

  /// Whether the device matches. What is not known of a device counts as matching.
  public func matches(_ device: DeviceDescription) -> Bool {
    (name?.matches(device.name) ?? true)
      && (vendor.map { $0 == device.vendor } ?? true)
      && (product.map { $0 == device.product } ?? true)
      && (version.map { $0 == device.version } ?? true)
      && matches(phys, device.phys) && matches(uniq, device.uniq)
      && matches(links: device.links) && matches(seat, device.seat)
      && matches(properties: device.properties)
  }

  private func matches(_ glob: Glob?, _ text: String?) -> Bool {
    guard let glob, let text else { return true }
    return glob.matches(text)
  }

  private func matches(links: [String]?) -> Bool {
    guard let link, let links else { return true }
    return links.contains { path in
      link.matches(
        link.pattern.contains("/") ? path : String(path.split(separator: "/").last ?? ""))
    }
  }

  private func matches(properties known: [String: String]?) -> Bool {
    guard let known else { return true }
    return properties.allSatisfy { name, glob in known[name].map(glob.matches) ?? false }
  }

  /// How specific the pattern is: first by the number of lines, then by the number of lines without wildcards, then by
  /// the number of characters other than wildcards.
  public struct Specificity: Comparable, Sendable {
    let lines: Int
    let exactLines: Int
    let characters: Int

    public static func < (left: Specificity, right: Specificity) -> Bool {
      (left.lines, left.exactLines, left.characters)
        < (right.lines, right.exactLines, right.characters)
    }
  }

  public var specificity: Specificity {
    let numbers = [vendor, product, version].compactMap(\.self).count
    let globs = [name, phys, uniq, link, seat].compactMap(\.self) + properties.values
    return Specificity(
      lines: numbers + globs.count,
      exactLines: numbers + globs.filter { !$0.hasWildcards }.count,
      characters: globs.map(\.literalCount).reduce(0, +))
  }
}

extension DevicePattern: CustomStringConvertible {
  /// Its lines, in a few words.
  public var description: String {
    let numbers = [("vendor", vendor), ("product", product), ("version", version)]
    let globs = [("phys", phys), ("uniq", uniq), ("link", link), ("seat", seat)]
    var lines = name.map { ["name “\($0.pattern)”"] } ?? []
    for case (let name, let number?) in numbers {
      lines.append("\(name) 0x\(number.hexadecimal())")
    }
    for case (let name, let glob?) in globs { lines.append("\(name) “\(glob.pattern)”") }
    for (name, glob) in properties.sorted(by: { $0.key < $1.key }) {
      lines.append("\(name) “\(glob.pattern)”")
    }
    return lines.joined(separator: ", ").printable
  }
}
