/// What is not well-formed in markup, by the rules of XML; `nil` if nothing.
///
/// Foundation's parser needs libxml2, which the virtual machine, where the same bundle of tests runs, does not have.
public func flaw(inMarkup text: String) -> String? {
  var open: [Substring] = []
  var rest = text[...]
  while let start = rest.firstIndex(where: { $0 == "<" || $0 == "&" }) {
    let here = rest[start...]
    if here.first == "&" {
      guard let end = here.firstIndex(of: ";"), here.distance(from: start, to: end) < 8 else {
        return "a bare & before \(here.prefix(20))"
      }
      let name = here[here.index(after: start)..<end]
      guard ["amp", "lt", "gt", "quot"].contains(name) || name.hasPrefix("#") else {
        return "an unknown entity \(name)"
      }
      rest = here[here.index(after: end)...]
      continue
    }
    guard let end = here.firstIndex(of: ">") else { return "a tag without end" }
    let tag = here[here.index(after: start)..<end]
    rest = here[here.index(after: end)...]
    if tag.hasPrefix("!DOCTYPE ") { continue }
    guard !tag.contains("<") else { return "a < inside of <\(tag.prefix(20))" }
    if tag.hasPrefix("/") {
      guard open.popLast() == tag.dropFirst() else { return "<\(tag)> ends nothing" }
      continue
    }
    let name = tag.prefix { !$0.isWhitespace && $0 != "/" }
    if let flaw = flaw(inAttributes: tag.dropFirst(name.count)) { return "\(flaw) in <\(tag)>" }
    if !tag.hasSuffix("/") { open.append(name) }
  }
  return open.isEmpty ? nil : "<\(open.joined(separator: "> <"))> without end"
}

private func flaw(inAttributes text: Substring) -> String? {
  var rest = text.hasSuffix("/") ? text.dropLast() : text
  var names: Set<Substring> = []
  while let start = rest.firstIndex(where: { !$0.isWhitespace }) {
    guard start > rest.startIndex, let equals = rest.firstIndex(of: "=") else {
      return "no attribute: \(rest)"
    }
    guard names.insert(rest[start..<equals]).inserted else { return "an attribute twice" }
    let value = rest[rest.index(after: equals)...]
    guard value.first == "\"", let end = value.dropFirst().firstIndex(of: "\"") else {
      return "no quotes: \(value)"
    }
    rest = value[value.index(after: end)...]
  }
  return nil
}
