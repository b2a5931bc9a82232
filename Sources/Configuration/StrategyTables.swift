import Debounce

/// How strategies and their parameters are given: `[defaults]`, `[debounce]` and the entries of `[keys]`.
extension TableReader {
  /// Reads an entry that belongs to a strategy, if it is one.
  ///
  /// - Parameter kind: The strategy that the table is about.
  /// - Returns: Whether it was one, right or wrong.
  private mutating func read(
    _ key: String, _ item: TOMLItem, of kind: StrategyKind, into layer: inout StrategyLayer
  ) -> Bool {
    switch key {
    case "strategy":
      break
    case "threshold":
      layer.threshold = milliseconds(item, upTo: kind.thresholds.upperBound)
    default:
      guard let values = Self.values(of: key, in: kind) else { return false }
      layer.values[key] = value(item, values)
    }
    return true
  }

  /// What values an entry of this name takes; `nil` if no strategy has such a parameter.
  ///
  /// One that belongs to another strategy has no place there, and yet is checked.
  private static func values(
    of name: String, in kind: StrategyKind? = nil
  ) -> StrategyParameter.Values? {
    for kind in (kind.map { [$0] } ?? []) + StrategyKind.allCases {
      if let parameter = kind.parameter(named: name) { return parameter.values }
      if let parameter = kind.retired.first(where: { $0.name == name }) { return parameter.values }
    }
    return nil
  }

  /// Whether some strategy has an entry of this name.
  private static func isKnown(_ name: String) -> Bool {
    ["strategy", "threshold"].contains(name) || values(of: name) != nil
  }

  /// The names of the parameters of all strategies, each once.
  private static let allParameters = StrategyKind.allCases.flatMap(\.parameters).map(\.name)
    .reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }

  private mutating func value(_ item: TOMLItem, _ values: StrategyParameter.Values) -> Int64? {
    switch values {
    case .times(let range, let tooLong):
      milliseconds(item, upTo: range.upperBound, danger: tooLong)
    case .counts(let range, let tooFew, let tooMany):
      count(
        item, in: Int(range.lowerBound)...Int(range.upperBound), few: tooFew, many: tooMany
      ).map { Int64($0) }
    case .flag:
      flag(item).map { $0 ? 1 : 0 }
    }
  }

  /// Reads the entries of a table that is about a strategy.
  ///
  /// - Parameters:
  ///   - known: The names of entries besides the strategy's parameters.
  ///   - isOfKey: Whether they are a key's own.
  ///   - elsewhere: In which table an entry belongs that has no place in this one; `nil` if in none.
  private mutating func choice(
    _ entries: [(key: String, item: TOMLItem)], refining outer: StrategyChoice, known: [String],
    isOfKey: Bool = false, elsewhere: (String) -> String?
  ) -> StrategyChoice {
    var layer = StrategyLayer()
    var isMisspelt = false
    if let (_, item) = entries.first(where: { $0.key == "strategy" }) {
      layer.kind = name(item, StrategyKind.self, what: "strategy")
      // Which of the other entries are right depends on the strategy that was meant.
      isMisspelt = layer.kind == nil
    }
    let kind = layer.kind ?? outer.kind
    let unknown = entries.filter { key, item in
      isMisspelt ? !Self.isKnown(key) : !read(key, item, of: kind, into: &layer)
    }
    let parameters = isMisspelt ? Self.allParameters : kind.parameters.map(\.name)
    for (key, item) in unknown {
      if let table = elsewhere(key) {
        report(misplaced: item, expected: table)
      } else {
        report(
          unknown: item, what: "name", known: known.filter { !parameters.contains($0) } + parameters
        )
      }
    }
    guard !isMisspelt else { return outer }
    for (key, item) in entries where !unknown.contains(where: { $0.key == key }) {
      switch key {
      case "strategy":
        break
      case "threshold":
        if isOfKey { warn(ofUseless: item, beside: kind) }
        // It decides on no wait where all that follow from it are given.
        let following = kind.parameters.filter { $0.formula == .threshold }.map(\.name)
        guard following.contains(where: { layer.values[$0] == nil }) else { continue }
        warn(of: layer.threshold, item, kind.longThreshold, isOfKey: isOfKey)
      case _ where parameters.contains(key):
        if isOfKey, key == "within", let presses = layer.values[key], (20...2000).contains(presses)
        {
          report(
            .hardlyMeant, .name, of: item, severity: .warning,
            "“within” is for how many presses the key stays bad; as the time of a double press it needs "
              + "“double” beside it")
        }
        warn(
          of: layer.values[key], item, kind.parameter(named: key)?.longTime, isOfKey: isOfKey)
      default:
        guard let parameter = kind.retired.first(where: { $0.name == key }) else {
          report(
            .misplaced, .name, of: item,
            "“\(key)” is no parameter of the strategy “\(kind.name)”; expected "
              + (parameters.isEmpty ? "none" : Self.list(parameters))
              + Self.owners(of: key, elsewhere: Self.suggestion(for: key, among: parameters)))
          continue
        }
        report(
          .retired, .name, of: item, severity: .warning,
          "“\(key)” no longer has an effect on the strategy “\(kind.name)”: \(parameter.advice)")
      }
    }
    return outer.refined(by: layer, isOfKey: isOfKey)
  }

  /// Which strategies have a parameter of this name, in words; what is said where none has.
  private static func owners(of name: String, elsewhere: String) -> String {
    let owners = StrategyKind.allCases.filter { $0.parameter(named: name) != nil }.map(\.name)
    return owners.isEmpty ? elsewhere : "; “\(name)” belongs to \(list(owners, "and"))"
  }

  /// Warns of what decides on no press, because nothing is debounced there.
  mutating func warn(ofUseless item: TOMLItem, beside kind: StrategyKind) {
    guard kind.name == "none" else { return }
    report(
      .withoutEffect, .name, of: item, severity: .warning,
      "“\(item.name)” has no effect: the strategy here is “none”, which passes everything on")
  }

  /// Warns of a time that is longer than is wise.
  ///
  /// - Parameter isOfKey: Whether it is given for a key, which is bad from the start then.
  mutating func warn(
    of time: Microseconds?, _ item: TOMLItem, _ long: LongTime?, isOfKey: Bool = false
  ) {
    guard let time, let long, time > long.limit else { return }
    report(
      .longTime, .value, of: item, severity: .warning,
      "\(quoted(item.name)) is \(item.description), more than \(long.limit / 1000) ms: "
        + (long.isOfBadKeys && !isOfKey ? "on a bad key " : "")
        + long.consequence(item.description))
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
    _ item: TOMLItem, refining outer: StrategyChoice, into settings: inout EffectiveSettings
  ) {
    var names: [KeyCode: String] = [:]
    for (name, item) in entries(of: item) {
      let choice = key(item, refining: outer)
      let code = key(named: name, .name, of: item)
      let meant = self.meanings(of: item, code, choice ?? outer)
      guard let code else { continue }
      if let other = names[code] {
        report(
          .repeatedKey, .name, of: item,
          "“\(name)” is the same key as “\(other)”; expected each key once")
      }
      names[code] = name
      mentions.keys.append(.init(code: code, name: name, place: place(.name, of: item)))
      settings.rules.keys[code] = choice?.strategy
      settings.keyThresholds[code] = choice?.givenThreshold
      settings.rules.meanings[code] = meant
    }
  }

  /// Reads what is given for one key: a threshold, a strategy, or a table of both and more.
  private mutating func key(_ item: TOMLItem, refining outer: StrategyChoice) -> StrategyChoice? {
    var layer = StrategyLayer()
    switch item.value {
    case .integer, .number:
      guard let threshold = milliseconds(item, upTo: outer.kind.thresholds.upperBound) else {
        return nil
      }
      layer.threshold = threshold
      warn(ofUseless: item, beside: outer.kind)
      warn(of: threshold, item, outer.kind.longThreshold, isOfKey: true)
    case .string(let text) where Self.milliseconds(in: text) != nil:
      let meant = Self.text(Self.milliseconds(in: text) ?? 0)
      mismatch(
        item,
        expected:
          "a number of milliseconds, without quotation marks or unit: \(meant), or a strategy")
      return nil
    case .string:
      guard let kind = name(item, StrategyKind.self, what: "strategy") else { return nil }
      layer.kind = kind
    case .table:
      let meant = Self.meaningNames(of: item)
      return choice(
        entries(of: item).filter { !meant.contains($0.key) }, refining: outer,
        known: ["strategy", "threshold"] + Self.meaningNames, isOfKey: true
      ) { $0 == "flush" ? "[debounce]" : nil }
    default:
      mismatch(
        item,
        expected: "a threshold, a strategy, or a table of both and parameters"
          + Self.suggestion(for: item.description, among: StrategyKind.allCases.map(\.name)))
      return nil
    }
    return outer.refined(by: layer, isOfKey: true)
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
    var members: [Mentions.Key] = []
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
    mentions.keys += members
    let keys = Set(members.map(\.code))
    guard let lockout, keys.count > 1 else { return nil }
    return Group(keys: keys, lockout: lockout)
  }
}

/// What one place of the configuration sets of the strategy of keys; it need not set all of it.
struct StrategyLayer {
  var kind: StrategyKind?
  var threshold: Microseconds?
  /// Parameters by their names: microseconds, counts, and 1 or 0 for flags.
  var values: [String: Int64] = [:]
}

/// The strategy that follows from several places, the nearest of which wins.
///
/// The places, from far to near: what is packaged, `[defaults]`, the device file's `[debounce]`, its `[keys]`.
///
/// * A place that names another strategy takes its parameters away. The threshold stays, unless one of the strategies is for
///   hands, such as `bounce-keys`, and the other for switches: that is another kind of time.
/// * A threshold decides on all parameters that follow from it and are not named as near as itself, or
///   nearer.
struct StrategyChoice {
  private(set) var kind: StrategyKind
  /// `nil` if no place gives one: then the strategy has its packaged parameters.
  private var threshold: Microseconds?
  private var values: [String: Int64] = [:]
  /// Whether the nearest place is the key's own and names it.
  private var namesKey = false

  /// What holds without any file.
  static let packaged = StrategyChoice(kind: Rules().strategy.kind)

  init(kind: StrategyKind) {
    self.kind = kind
  }

  /// The choice as it is at a nearer place.
  ///
  /// - Parameter isOfKey: Whether that is an entry of `[keys]`: there a number says that the key is bad.
  func refined(by layer: StrategyLayer, isOfKey: Bool = false) -> StrategyChoice {
    var choice = self
    if let kind = layer.kind, kind != self.kind {
      choice.kind = kind
      choice.values = [:]
      // It is the limits that tell them apart.
      if kind.thresholds != self.kind.thresholds { choice.threshold = nil }
    }
    if let threshold = layer.threshold {
      choice.threshold = threshold
      for parameter in choice.kind.parameters where parameter.formula != nil {
        choice.values[parameter.name] = nil
      }
    }
    choice.values.merge(layer.values) { $1 }
    choice.namesKey =
      isOfKey
      && choice.kind.naming.contains {
        $0 == "threshold" ? layer.threshold != nil : layer.values[$0] != nil
      }
    return choice
  }

  /// The threshold that is given, if the strategy has any use for one.
  var givenThreshold: Microseconds? {
    kind.parameters.contains { $0.formula != nil } ? threshold : nil
  }

  /// From which gap on a second press may count, in microseconds: the threshold, or what takes its place.
  var shortestGap: Microseconds {
    let strategy = strategy
    return kind.parameter(named: "delay")?.value(in: strategy) ?? threshold
      ?? Strategy.packagedThreshold
  }

  /// The strategy for the engine.
  var strategy: Strategy {
    let strategy = kind.strategy(threshold: threshold, values)
    return namesKey ? strategy.named : strategy
  }
}
