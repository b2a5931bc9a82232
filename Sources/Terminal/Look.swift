/// How many colours a screen may use.
public enum ColourDepth: Sendable {
  /// None, and no other attributes: everything is shown by signs.
  case none
  /// The eight that every terminal has, and bold.
  case sixteen
  /// The 256 of a palette, too.
  case many

  /// What a terminal has, by what its environment says of it.
  ///
  /// - Parameters:
  ///   - hasColours: Whether it has colours at all, and the person wants them.
  ///   - type: The value of `TERM`.
  ///   - trueColour: The value of `COLORTERM`.
  public init(hasColours: Bool, type: String?, trueColour: String?) {
    let type = type ?? "dumb"
    if !hasColours || type == "dumb" || type.isEmpty || type.hasPrefix("vt1")
      || type.hasSuffix("-mono")
    {
      self = .none
    } else if ["truecolor", "24bit"].contains(trueColour) || type.contains("256color")
      || type.hasSuffix("-direct") || type == "xterm-kitty" || type == "alacritty"
    {
      self = .many
    } else {
      self = .sixteen
    }
  }
}

/// How a cell of a screen looks: attributes and colours.
public struct Look: Hashable, Sendable {
  public var isBold = false
  public var isFaint = false
  public var isReverse = false
  public var isUnderlined = false
  /// A number of the palette: below 8, of the terminal's own colours; `nil` for what the terminal writes in.
  public var foreground: UInt8?
  /// The same for what is behind the character.
  public var background: UInt8?

  public init() {}

  /// The look of text that is written in these styles.
  public init(_ styles: [Style]) {
    for style in styles {
      switch style {
      case .bold: isBold = true
      case .faint: isFaint = true
      case .reverse: isReverse = true
      case .red: foreground = 1
      case .green: foreground = 2
      case .yellow: foreground = 3
      case .blue: foreground = 4
      case .magenta: foreground = 5
      case .cyan: foreground = 6
      }
    }
  }

  /// The sequence that makes a terminal write like this, whatever it did before.
  var sequence: String {
    var codes = ["0"]
    if isBold { codes.append("1") }
    if isFaint { codes.append("2") }
    if isUnderlined { codes.append("4") }
    if isReverse { codes.append("7") }
    if let foreground { codes.append(foreground < 8 ? "3\(foreground)" : "38;5;\(foreground)") }
    if let background { codes.append(background < 8 ? "4\(background)" : "48;5;\(background)") }
    return "\u{1b}[\(codes.joined(separator: ";"))m"
  }
}
