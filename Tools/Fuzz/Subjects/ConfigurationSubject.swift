import Configuration
import Debounce
import Terminal

/// Reads the bytes as both kinds of files.
func violationOfConfiguration(in bytes: [UInt8]) -> String? {
  let device = read(bytes, as: "fuzz.toml")
  let defaults = read(bytes, as: "keydebounce.toml")
  for (isRead, findings) in [
    (device.settings != nil, device.findings), (defaults.settings != nil, defaults.findings),
  ] {
    if !isRead, !findings.contains(where: { $0.severity == .error }) {
      return "neither settings nor an error"
    }
    for problem in findings {
      if let violation = violation(of: problem, in: bytes) { return "\(violation): \(problem)" }
    }
  }
  for rules in [device.settings?.devices.first?.rules, defaults.settings?.rules] {
    guard let rules, device.findings.isEmpty || defaults.findings.isEmpty else { continue }
    // Whatever is read can be worked by.
    var engine = Debouncer(rules)
    engine.process(Frame(time: 0, [.key(30, down: true)]))
    engine.advance(to: .max)
    engine.close(at: 0)
    if !engine.held.isEmpty { return "rules by which a key stays down" }
  }
  return nil
}

private func read(
  _ bytes: [UInt8], as file: String
) -> (settings: Settings?, findings: [Problem]) {
  do {
    let loaded = try LoadedSettings(
      readingFrom: ConfigurationPlaces(file), with: FileChange(of: file, to: bytes))
    return (loaded.settings, loaded.warnings)
  } catch {
    return (nil, error.findings)
  }
}

/// A place lies within its line, and what a terminal shows of it can be shown.
private func violation(of problem: Problem, in bytes: [UInt8]) -> String? {
  if problem.message.isEmpty { return "no message" }
  guard let place = problem.place else { return "no place" }
  // A mark at the very beginning is none of the text.
  let text = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes[3...] : bytes[...]
  let lines = String(decoding: text, as: UTF8.self).split(
    omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" })
  guard lines.indices.contains(place.line - 1) else {
    return "line \(place.line) of \(lines.count)"
  }
  let characters = lines[place.line - 1].count
  // What is missing at the end of a line stands behind it.
  guard place.column >= 1, place.column <= characters + 1 else {
    return "column \(place.column) of \(characters)"
  }
  let excerpt = place.lines(in: .unicode)
  let marker = excerpt[1].drop { $0 == " " || $0 == "\t" }
  guard marker.first == "^", marker.dropFirst().allSatisfy({ $0 == "~" || $0 == "\t" }) else {
    return "a marker like \(excerpt[1])"
  }
  for text in [problem.message, excerpt[0]]
  where !text.unicodeScalars.allSatisfy({
    $0.properties.generalCategory != .control || $0 == "\t"
  }) {
    return "a control character"
  }
  return excerpt[0].columns <= 110 ? nil : "a line too long to show"
}
