import Debounce

/// Reads stroke fixtures line by line; the format is ``StrokeCase``'s.
struct StrokeParser {
  private let file: String
  private var line = 0

  /// What holds where a case does not give its own.
  private var common = Rules()
  private var cases: [StrokeCase] = []
  /// Where the last case begins.
  private var caseLine = 0

  init(file: String) {
    self.file = file
  }

  mutating func read(_ text: Substring) throws(StrokeError) {
    line += 1
    let words = text.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
    guard let first = words.first else { return }
    let rest = words.dropFirst()
    switch first {
    case "==":
      guard !rest.isEmpty else { throw error("expected the case's name after “==”") }
      try checkLastCase()
      caseLine = line
      cases.append(
        StrokeCase(
          name: rest.joined(separator: " "), place: "\(file):\(line)", rules: common,
          raw: [], clean: []))
    case "rules":
      try setRules(rest)
    case "key":
      try setKey(rest)
    case "group":
      try addGroup(rest)
    case "meaning":
      try setMeanings(rest)
    case "raw", "clean":
      guard let last = cases.indices.last else {
        throw error("expected “== name” before “\(first)”")
      }
      let path = first == "raw" ? \StrokeCase.raw : \StrokeCase.clean
      cases[last][keyPath: path] = try edges(rest, after: cases[last][keyPath: path])
    default:
      throw error("expected ==, rules, key, group, meaning, raw or clean, not “\(first)”")
    }
  }

  func finish() throws(StrokeError) -> [StrokeCase] {
    try checkLastCase()
    return cases
  }

  private func checkLastCase() throws(StrokeError) {
    guard let last = cases.last, last.raw.isEmpty else { return }
    throw StrokeError(file: file, line: caseLine, message: "expected a line “raw” in this case")
  }

  private func error(_ message: String) -> StrokeError {
    StrokeError(file: file, line: line, message: message)
  }

  /// The rules that a line now changes: of the last case, or of all that follow.
  private var rules: Rules {
    get { cases.last?.rules ?? common }
    set {
      if let last = cases.indices.last { cases[last].rules = newValue } else { common = newValue }
    }
  }
}

// MARK: - Edges

extension StrokeParser {
  /// The edges that `words` add to `edges`, after these.
  private func edges(
    _ words: ArraySlice<Substring>, after edges: [Edge]
  ) throws(StrokeError) -> [Edge] {
    var edges = edges
    var joined = false
    for word in words {
      if word == "&" {
        guard !joined, !edges.isEmpty else { throw error("expected an edge before “&”") }
        joined = true
        continue
      }
      let edge = try edge(word, joined: joined)
      if let last = edges.last {
        guard edge.time >= last.time else {
          throw error("expected a time from \(last) on, not “\(word)”")
        }
        guard !joined || edge.time == last.time else {
          throw error("expected the time of \(last) after “&”, not “\(word)”")
        }
      }
      edges.append(edge)
      joined = false
    }
    guard !joined else { throw error("expected an edge after “&”") }
    return edges
  }

  private func edge(_ word: Substring, joined: Bool) throws(StrokeError) -> Edge {
    guard let sign = word.firstIndex(where: { $0 == "+" || $0 == "-" }),
      let time = Self.microseconds(word[word.index(after: sign)...])
    else {
      throw error("expected an edge like A+0 or A-12.5, not “\(word)”")
    }
    return Edge(try key(word[..<sign]), down: word[sign] == "+", at: time, joined: joined)
  }

  /// The microseconds of milliseconds written as `12` or `12.5`.
  static func microseconds(_ text: some StringProtocol) -> Microseconds? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      .map { String($0) }
    let fraction = parts.count > 1 ? parts[1] : "0"
    guard (1...12).contains(parts[0].count), (1...3).contains(fraction.count),
      (parts[0] + fraction).allSatisfy({ ("0"..."9").contains($0) })
    else { return nil }
    return Microseconds(parts[0] + fraction + String(repeating: "0", count: 3 - fraction.count))
  }
}

// MARK: - Rules

extension StrokeParser {
  private mutating func setRules(_ words: ArraySlice<Substring>) throws(StrokeError) {
    guard let name = words.first else { throw error("expected a strategy after “rules”") }
    var parameters = try parameters(words.dropFirst())
    if let text = parameters.take("flush") {
      guard let flush = Flush(rawValue: text) else {
        throw error("expected flush=modifiers, all or none, not “\(text)”")
      }
      rules.flush = flush
    }
    rules.strategy = try strategy(name, &parameters)
  }

  private mutating func setKey(_ words: ArraySlice<Substring>) throws(StrokeError) {
    guard words.count >= 2 else { throw error("expected a key and a strategy after “key”") }
    let (name, strategyName) = (words[words.startIndex], words[words.startIndex + 1])
    var parameters = try parameters(words.dropFirst(2))
    let isNamed = ["threshold", "dropout", "suspect"].contains { parameters.values[$0] != nil }
    let strategy = try strategy(strategyName, &parameters)
    rules.keys[try key(name)] = isNamed ? strategy.named : strategy
  }

  private mutating func addGroup(_ words: ArraySlice<Substring>) throws(StrokeError) {
    let names = words.prefix { !$0.contains("=") }
    var keys: Set<KeyCode> = []
    for name in names { keys.insert(try key(name)) }
    var parameters = try parameters(words.dropFirst(names.count))
    rules.groups.append(Group(keys: keys, lockout: parameters.time("lockout") ?? 0))
    try checkLeftOver(parameters, of: "group")
  }

  private mutating func setMeanings(_ words: ArraySlice<Substring>) throws(StrokeError) {
    guard let name = words.first else { throw error("expected a key after “meaning”") }
    let own = try key(name)
    var parameters = try parameters(words.dropFirst())
    var meanings = Meanings(single: own)
    if let name = parameters.take("single") { meanings.single = try key(name[...]) }
    if let name = parameters.take("double") { meanings.double = try key(name[...]) }
    if let name = parameters.take("hold") { meanings.hold = try key(name[...]) }
    if let time = parameters.time("within") { meanings.within = time }
    if let time = parameters.time("after") { meanings.after = time }
    if let time = parameters.time("gap") { meanings.shortestGap = time }
    meanings.isEager = parameters.take("eager") == "true"
    try checkLeftOver(parameters, of: "meaning")
    rules.meanings[own] = meanings
  }

  private func key(_ name: Substring) throws(StrokeError) -> KeyCode {
    guard let key = KeyName.code(of: name) else {
      throw error("expected the name of a key, not “\(name)”")
    }
    return key
  }

  private func parameters(
    _ words: ArraySlice<Substring>
  ) throws(StrokeError) -> StrokeParameters {
    var values: [String: String] = [:]
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
        throw error("expected name=value, not “\(word)”")
      }
      guard values.updateValue(String(parts[1]), forKey: String(parts[0])) == nil else {
        throw error("expected “\(parts[0])” once")
      }
    }
    return StrokeParameters(values: values)
  }

  private func strategy(
    _ name: Substring, _ parameters: inout StrokeParameters
  ) throws(StrokeError) -> Strategy {
    guard let strategy = parameters.strategy(name) else {
      throw error("expected the name of a strategy, not “\(name)”")
    }
    try checkLeftOver(parameters, of: name)
    return strategy
  }

  private func checkLeftOver(
    _ parameters: StrokeParameters, of name: Substring
  ) throws(StrokeError) {
    if let wrong = parameters.wrong { throw error("expected another value in “\(wrong)”") }
    if let unknown = parameters.values.keys.min() {
      throw error("expected a parameter of \(name), not “\(unknown)”")
    }
  }
}
