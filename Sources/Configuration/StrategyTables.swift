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
        case .milliseconds where parameter == .interval:
          milliseconds(item, danger: "the key would seem dead")
        case .milliseconds: milliseconds(item)
        case .count(let range, let few, let many):
          count(item, in: range, few: few, many: many).map { Int64($0) }
        case .flag: flag(item).map { $0 ? 1 : 0 }
        }
    }
    return true
  }

  /// Reads the entries of a table that tells of a strategy.
  ///
  /// - Parameters:
  ///   - known: The names of entries besides the strategy's parameters.
  ///   - elsewhere: In which table something stands that has no place in this one; `nil` if in none.
  private mutating func choice(
    _ entries: [(key: String, item: TOMLItem)], refining outer: StrategyChoice, known: [String],
    elsewhere: (String) -> String?
  ) -> StrategyChoice {
    var layer = StrategyLayer()
    let unknown = entries.filter { !read($0.key, $0.item, into: &layer) }
    let choice = outer.refined(by: layer)
    let parameters = choice.kind.parameters.map(\.rawValue)
    for (key, item) in unknown {
      if let table = elsewhere(key) {
        report(misplaced: item, expected: table)
      } else {
        report(unknown: item, what: "name", known: known + parameters)
      }
    }
    for (key, item) in entries {
      let parameter = Parameter(rawValue: key)
      if parameter == nil || parameters.contains(key) {
        let time = key == "threshold" ? layer.threshold : parameter.flatMap { layer.values[$0] }
        if let time { warn(of: time, item, parameter, choice.kind) }
      } else {
        report(
          .misplaced, .name, of: item,
          "“\(key)” is no parameter of the strategy “\(choice.kind.rawValue)”; expected "
            + (parameters.isEmpty ? "none" : Self.list(parameters))
            + Self.suggestion(for: key, among: parameters))
      }
    }
    return choice
  }

  /// Warns of a time that is longer than is wise.
  ///
  /// - Parameter parameter: `nil` for the threshold.
  private mutating func warn(
    of time: Microseconds, _ item: TOMLItem, _ parameter: Parameter?, _ kind: StrategyKind
  ) {
    guard let limit = LongTime.limit(of: parameter), time > limit,
      let consequence = LongTime.consequence(of: parameter, kind, item.description)
    else { return }
    report(
      .longTime, .value, of: item, severity: .warning,
      "\(quoted(item.name)) is \(item.description), more than \(limit / 1000) ms: \(consequence)")
  }

  /// Reads the entries of `[defaults]` or `[debounce]`.
  mutating func debounce(
    _ entries: [(key: String, item: TOMLItem)], refining outer: StrategyChoice,
    flush: inout Flush, known: [String] = [], elsewhere: (String) -> String?
  ) -> StrategyChoice {
    var entries = entries
    if let index = entries.firstIndex(where: { $0.key == "flush" }) {
      let item = entries.remove(at: index).item
      flush = name(item, Flush.self, what: "flush rule") ?? flush
    }
    return choice(
      entries, refining: outer, known: ["strategy", "threshold", "flush"] + known,
      elsewhere: elsewhere)
  }

  /// Reads `[keys]`.
  mutating func keys(
    _ item: TOMLItem, refining outer: StrategyChoice, _ remarks: inout Remarks
  ) -> [KeyCode: Strategy] {
    var strategies: [KeyCode: Strategy] = [:]
    var names: [KeyCode: String] = [:]
    for (name, item) in entries(of: item) {
      let choice = key(item, refining: outer)
      guard let code = key(named: name, .name, of: item) else { continue }
      if let other = names[code] {
        report(
          .repeatedKey, .name, of: item,
          "“\(name)” is the same key as “\(other)”; expected each key once")
      }
      names[code] = name
      remarks.keys.append(.init(code: code, name: name, place: place(.name, of: item)))
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
      warn(of: threshold, item, nil, outer.kind)
    case .string:
      guard let kind = name(item, StrategyKind.self, what: "strategy") else { return nil }
      layer.kind = kind
    case .table:
      return choice(entries(of: item), refining: outer, known: ["strategy", "threshold"]) {
        $0 == "flush" ? "[debounce]" : nil
      }
    default:
      mismatch(item, expected: "a threshold, a strategy, or a table of both and parameters")
      return nil
    }
    return outer.refined(by: layer)
  }

  /// Reads the `[[groups]]`.
  mutating func groups(_ item: TOMLItem, _ remarks: inout Remarks) -> [Group] {
    var groups: [Group] = []
    var seen: Set<KeyCode> = []
    for element in elements(of: item, expected: "a list of tables: [[groups]]") {
      if let group = group(element, &seen, &remarks) { groups.append(group) }
    }
    return groups
  }

  private mutating func group(
    _ item: TOMLItem, _ seen: inout Set<KeyCode>, _ remarks: inout Remarks
  ) -> Group? {
    guard case .table(let table) = item.value else {
      report(
        .badGroup, .value, of: item, "a group is \(item.description); expected a table: [[groups]]")
      return nil
    }
    for (key, entry) in table.sorted(by: { $0.key < $1.key })
    where key != "keys" && key != "lockout" {
      report(unknown: entry, what: "name", known: ["keys", "lockout"])
    }
    let lockout = table["lockout"].flatMap {
      milliseconds($0, danger: "the other keys of the group would seem dead")
    }
    var members: [Remarks.NamedKey] = []
    if let list = table["keys"] {
      members = keys(
        of: list, expected: "a list of key names",
        repeated: { "\($0) is in a group already; expected each key in one group, once" },
        seen: &seen)
      if case .array(let names) = list.value, names.count < 2 {
        report(
          .badGroup, .value, of: list,
          "a group of fewer than two keys locks nothing out; expected “keys” with more")
      }
    } else {
      report(.badGroup, .value, of: item, "a group without “keys”; expected two or more")
    }
    if table["lockout"] == nil {
      report(.badGroup, .value, of: item, "a group without “lockout”; expected milliseconds")
    }
    remarks.keys += members
    let keys = Set(members.map(\.code))
    guard let lockout, keys.count > 1 else { return nil }
    return Group(keys: keys, lockout: lockout)
  }
}
