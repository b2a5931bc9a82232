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
