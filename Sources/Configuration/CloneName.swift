/// What a device's clone is called, so that other programs can tell it from its source.
public struct CloneName: Equatable, Sendable {
  /// What stands for the source's name.
  static let placeholder = "%s"
  /// The longest name that the kernel takes, in bytes of UTF-8.
  static let longest = 79

  let template: String

  /// The source's own name, by which desktops find their settings for the device.
  public static let ofSource = CloneName(template: placeholder)

  /// The clone's name for a source's: as much of the latter as there is room for.
  public func name(forSource name: String) -> String {
    let parts = template.split(
      separator: Self.placeholder, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return template }
    let room = Self.longest - parts[0].utf8.count - parts[1].utf8.count
    var name = Substring(name)
    while !name.isEmpty, name.utf8.count > room { name.removeLast() }
    return "\(parts[0])\(name)\(parts[1])"
  }
}

extension TableReader {
  /// Reads what clones are called.
  mutating func cloneName(_ item: TOMLItem) -> CloneName? {
    let expected = "a name, with %s where the device's own name belongs, as \"%s (debounced)\""
    guard let text = string(item, expected: expected) else { return nil }
    let hasControls = text.unicodeScalars.contains {
      $0.value < 0x20 || (0x7f...0x9f).contains($0.value)
    }
    guard !text.isEmpty, !hasControls, text.utf8.count <= CloneName.longest else {
      mismatch(
        item,
        expected: "\(expected), of 1 to \(CloneName.longest) bytes and without control characters",
        kind: .outOfRange)
      return nil
    }
    return CloneName(template: text)
  }
}
