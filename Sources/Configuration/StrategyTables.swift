import Debounce

/// How strategies and their parameters are given: `[defaults]`, `[debounce]` and the entries of `[keys]`.
extension TableReader {
  /// Reads an entry of a table that tells of a strategy, if it is one.
  ///
  /// - Returns: Whether it was one, right or wrong.
  private mutating func read(
    _ key: String, _ item: TOMLItem, into layer: inout StrategyLayer
  ) -> Bool {
    switch key {
    case "strategy":
      layer.kind = name(item, StrategyKind.self, what: "strategy")
    case "threshold":
      layer.threshold = milliseconds(item)
    default:
      guard let parameter = Parameter(rawValue: key) else { return false }
      layer.values[parameter] =
        switch parameter.measure {
        case .milliseconds: milliseconds(item)
        case .count(let range): count(item, in: range).map { Int64($0) }
        case .flag: flag(item).map { $0 ? 1 : 0 }
        }
    }
    return true
  }

  /// Reads the entries of a table that tells of a strategy.
  ///
  /// - Parameter known: The names of entries besides the strategy's parameters.
  private mutating func choice(
    _ entries: [(key: String, item: TOMLItem)], refining outer: StrategyChoice, known: [String]
  ) -> StrategyChoice {
    var layer = StrategyLayer()
    let unknown = entries.filter { !read($0.key, $0.item, into: &layer) }
    let choice = outer.refined(by: layer)
    let parameters = choice.kind.parameters.map(\.rawValue)
    for (_, item) in unknown { report(unknown: item, what: "name", known: known + parameters) }
    for (key, item) in entries where Parameter(rawValue: key) != nil && !parameters.contains(key) {
      report(
        item,
        "“\(key)” is no parameter of the strategy “\(choice.kind.rawValue)”; expected "
          + (parameters.isEmpty ? "none" : Self.list(parameters))
          + Self.suggestion(for: key, among: parameters))
    }
    return choice
  }

  /// Reads `[defaults]` or `[debounce]`.
  mutating func debounce(
    _ item: TOMLItem, refining outer: StrategyChoice, flush: inout Flush
  ) -> StrategyChoice {
    var entries = entries(of: item)
    if let index = entries.firstIndex(where: { $0.key == "flush" }) {
      let item = entries.remove(at: index).item
      flush = name(item, Flush.self, what: "flush rule") ?? flush
    }
    return choice(entries, refining: outer, known: ["strategy", "threshold", "flush"])
  }

  /// Reads `[keys]`.
  mutating func keys(_ item: TOMLItem, refining outer: StrategyChoice) -> [KeyCode: Strategy] {
    var strategies: [KeyCode: Strategy] = [:]
    var names: [KeyCode: String] = [:]
    for (name, item) in entries(of: item) {
      let choice = key(item, refining: outer)
      guard let code = key(named: name, item) else { continue }
      if let other = names[code] {
        report(item, "“\(name)” is the same key as “\(other)”; expected each key once")
      }
      names[code] = name
      if let choice { strategies[code] = choice.strategy }
    }
    return strategies
  }

  /// Reads what is given for one key: a threshold, a strategy, or a table of both and more.
  private mutating func key(_ item: TOMLItem, refining outer: StrategyChoice) -> StrategyChoice? {
    var layer = StrategyLayer()
    switch item.value {
    case .integer, .number:
      guard let threshold = milliseconds(item) else { return nil }
      layer.threshold = threshold
    case .string:
      guard let kind = name(item, StrategyKind.self, what: "strategy") else { return nil }
      layer.kind = kind
    case .table:
      return choice(entries(of: item), refining: outer, known: ["strategy", "threshold"])
    default:
      report(
        item,
        "“\(item.path.last ?? "")” is \(item.description); expected a threshold, a strategy, or a "
          + "table of both and parameters")
      return nil
    }
    return outer.refined(by: layer)
  }

  /// Reads the `[[groups]]`.
  mutating func groups(_ item: TOMLItem) -> [Group] {
    var groups: [Group] = []
    var seen: Set<KeyCode> = []
    for element in elements(of: item, expected: "a list of tables: [[groups]]") {
      if let group = group(element, &seen) { groups.append(group) }
    }
    return groups
  }

  private mutating func group(_ item: TOMLItem, _ seen: inout Set<KeyCode>) -> Group? {
    guard case .table(let table) = item.value else {
      report(item, "a group is \(item.description); expected a table: [[groups]]")
      return nil
    }
    for (key, entry) in table where key != "keys" && key != "lockout" {
      report(unknown: entry, what: "name", known: ["keys", "lockout"])
    }
    let lockout = table["lockout"].flatMap { milliseconds($0) }
    var members: Set<KeyCode> = []
    let names = table["keys"].map { elements(of: $0, expected: "a list of key names") } ?? []
    for name in names {
      guard let text = string(name, expected: "the name of a key") else { continue }
      guard let code = key(named: text, name) else { continue }
      if !seen.insert(code).inserted {
        report(name, "“\(text)” is in a group already; expected each key in one group, once")
      }
      members.insert(code)
    }
    if table["lockout"] == nil { report(item, "a group without “lockout”; expected milliseconds") }
    if names.count < 2 { report(item, "a group of fewer than two keys; expected “keys” with more") }
    guard let lockout, members.count > 1 else { return nil }
    return Group(keys: members, lockout: lockout)
  }
}
