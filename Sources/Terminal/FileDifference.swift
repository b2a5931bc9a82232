/// The difference between two texts, line by line: all lines, with the marks of `diff -u`, below the names of the texts.
///
/// - Returns: No line if the texts have the same lines.
public func lineDifference(
  from old: (name: String, text: String), to new: (name: String, text: String), on sheet: Sheet
) -> [String] {
  func split(_ text: String) -> [Substring] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }
  let before = split(old.text)
  let changes = split(new.text).difference(from: before)
  var lines: [(mark: Character, text: Substring)] = before.map { (" ", $0) }
  for case .remove(let offset, _, _) in changes.removals { lines[offset].mark = "-" }
  for case .insert(let offset, let text, _) in changes.insertions {
    // The line stands behind so many lines of the new text, and behind the lines that it replaces.
    var (index, unchanged) = (0, 0)
    while index < lines.count, unchanged < offset || lines[index].mark == "-" {
      if lines[index].mark != "-" { unchanged += 1 }
      index += 1
    }
    lines.insert(("+", text), at: index)
  }
  guard lines.contains(where: { $0.mark != " " }) else { return [] }
  let styles: [Character: [Style]] = ["-": [.red], "+": [.green]]
  let names = [StyledText("--- \(old.name)", .bold), StyledText("+++ \(new.name)", .bold)]
  let shown = lines.map { StyledText("\($0.mark)\($0.text)", styles: styles[$0.mark] ?? []) }
  return (names + shown).map { sheet.line([$0]) }
}
