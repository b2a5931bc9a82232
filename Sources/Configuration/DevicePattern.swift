/// What is known of a device when its settings are chosen.
public struct DeviceIdentity: Equatable, Sendable {
  public var name: String
  public var vendor: UInt16
  public var product: UInt16
  public var version: UInt16
  /// Where it is plugged in, as its driver says; `nil` if that is not known, as of a recording.
  public var phys: String?
  /// Its serial number or address; `nil` if that is not known.
  public var uniq: String?

  public init(
    name: String, vendor: UInt16, product: UInt16, version: UInt16, phys: String? = nil,
    uniq: String? = nil
  ) {
    self.name = name
    self.vendor = vendor
    self.product = product
    self.version = version
    self.phys = phys
    self.uniq = uniq
  }
}

/// Which devices a file is about: every line that it gives must match.
public struct DevicePattern: Equatable, Sendable {
  public var name: Glob?
  public var vendor: UInt16?
  public var product: UInt16?
  public var version: UInt16?
  public var phys: Glob?
  public var uniq: Glob?

  /// The pattern that matches every device.
  public init() {}

  /// Whether the device matches. What is not known of a device is taken to match.
  public func matches(_ device: DeviceIdentity) -> Bool {
    (name?.matches(device.name) ?? true)
      && (vendor.map { $0 == device.vendor } ?? true)
      && (product.map { $0 == device.product } ?? true)
      && (version.map { $0 == device.version } ?? true)
      && matches(phys, device.phys) && matches(uniq, device.uniq)
  }

  private func matches(_ glob: Glob?, _ text: String?) -> Bool {
    guard let glob, let text else { return true }
    return glob.matches(text)
  }

  /// How much the pattern says: more lines say more; of as many lines, fewer with wildcards; and then more
  /// characters besides the wildcards.
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
    let globs = [name, phys, uniq].compactMap(\.self)
    return Specificity(
      lines: numbers + globs.count,
      exactLines: numbers + globs.filter { !$0.hasWildcards }.count,
      characters: globs.map(\.literalCount).reduce(0, +))
  }
}

/// A pattern for text: `*` stands for any characters or none, `?` for one.
public struct Glob: Equatable, Sendable {
  public let pattern: String
  private let characters: [Character]

  public init(_ pattern: String) {
    self.pattern = pattern
    characters = Array(pattern)
  }

  var hasWildcards: Bool { literalCount < characters.count }

  /// How many characters stand for themselves.
  var literalCount: Int { characters.filter { $0 != "*" && $0 != "?" }.count }

  /// Whether the whole text fits.
  public func matches(_ text: String) -> Bool {
    let text = Array(text)
    var (position, index) = (0, 0)
    // Where the last star stands, and what of the text it has taken. More than the last is never needed.
    var star: (position: Int, index: Int)?
    while index < text.count {
      if position < characters.count, characters[position] == "*" {
        star = (position, index)
        position += 1
      } else if position < characters.count,
        characters[position] == "?" || characters[position] == text[index]
      {
        position += 1
        index += 1
      } else if let last = star {
        star = (last.position, last.index + 1)
        position = last.position + 1
        index = last.index + 1
      } else {
        return false
      }
    }
    return characters[position...].allSatisfy { $0 == "*" }
  }
}
