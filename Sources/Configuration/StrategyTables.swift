import Debounce

/// How strategies and their parameters are given: `[defaults]`, `[debounce]` and the entries of `[keys]`.
extension TableReader {
  /// The values that a parameter of this name takes; `nil` if no strategy has such a parameter.
  ///
  /// A parameter of another strategy is an error, and its value is checked nevertheless.
  private static func values(of name: String, in kind: StrategyKind) -> StrategyParameter.Values? {
    for kind in [kind] + StrategyKind.allCases {
      let retired = kind.retired.first { $0.name == name }
      if let values = kind.parameter(named: name)?.values ?? retired?.values { return values }
    }
    return nil
  }

  private static let allParameters = StrategyKind.parameterNames.filter { name in
    StrategyKind.allCases.contains { $0.parameter(named: name) != nil }
  }

  private mutating func value(_ item: TOMLItem, _ values: StrategyParameter.Values) -> Int64? {
    switch values {
    case .times(let range, let tooLong): milliseconds(item, in: range, tooLong: tooLong)
    case .counts(let range, let tooFew, let tooMany):
      count(item, in: range, tooFew: tooFew, tooMany: tooMany)
    case .flag: flag(item).map { $0 ? 1 : 0 }
    }
  }

  /// Reads what a table says of a strategy.
  ///
  /// - Parameters:
  ///   - others: What else may stand in the table.
  ///   - isOfKey: Whether it is what is given for a key: that may be a threshold or the name of a strategy alone.
  mutating func choice<Subject>(
    of item: TOMLItem, refining outer: StrategyChoice, beside others: [Entry<Subject>],
    into subject: inout Subject, isOfKey: Bool = false
  ) -> StrategyChoice {
    let isTable = !isOfKey || item.table != nil
    let named = isTable ? item["strategy"] : item.string == nil ? nil : item
    let own = named.flatMap { strategy($0) }
    let kind = own ?? outer.kind
    let isRetired = named?.string.map { StrategyKind.retiredKinds[$0] != nil } == true
    // Nobody knows which strategy was meant, so that the parameters of all are expected.
    let isMisspelt = named != nil && own == nil
    let parameters = isMisspelt ? Self.allParameters : kind.parameters.map(\.name)
    let known = ["strategy", "threshold"] + others.map(\.name)
    var values: [String: Int64] = [:]
    for item in isTable ? entries(of: item) : []
    where item.name != "strategy" && item.name != "threshold" {
      if let entry = others.first(where: { $0.name == item.name }) {
        entry.read(&self, item, &subject)
      } else if let limits = Self.values(of: item.name, in: kind) {
        // The parameters of a retired strategy had other meanings.
        guard !isMisspelt, !isRetired else { continue }
        values[item.name] = value(item, limits)
        check(item, values[item.name], of: kind, isOfKey: isOfKey)
      } else {
        report(stranger: item, known: known.filter { !parameters.contains($0) } + parameters)
      }
    }
    guard !isMisspelt else { return outer }
    var threshold: Microseconds?
    if let item = isTable ? item["threshold"] : item.number == nil ? nil : item {
      let limits = kind.parameters.first { $0.formula == .threshold }?.values
      threshold = value(item, limits ?? .usual)
      if isOfKey { warn(ofUseless: item, beside: kind) }
      if threshold == 0, !kind.parametersOfBadKeys.isEmpty {
        warn(
          .hardlyMeant, item.valueRange,
          "\(quoted(item.name)) is \(item.description), and \(isOfKey ? "the key counts as bad" : "keys are debounced") all the "
            + "same; the strategy “none” switches debouncing off")
      }
      // A threshold decides on no wait if the file gives all parameters that follow from it.
      if kind.parameters.contains(where: {
        $0.formula == .threshold && values[$0.name] == nil
      }) {
        warn(of: threshold, item, kind.effectOfThreshold, isOfKey: isOfKey)
      }
    }
    return outer.refined(by: kind, threshold, values, isOfKey: isOfKey)
  }

  /// The strategy of this name; `nil`, with an error, if there is none. `adaptive` takes the place of a retired one.
  private mutating func strategy(_ item: TOMLItem) -> StrategyKind? {
    guard let name = item.string, let reason = StrategyKind.retiredKinds[name] else {
      return name(item, StrategyKind.self, what: "strategy")
    }
    warn(.retired, item.valueRange, "the strategy “\(name)” is no more: \(reason)")
    return .adaptive
  }

  /// Reports a parameter that its strategy does not have, and warns of a retired one and of an unwise value.
  private mutating func check(
    _ item: TOMLItem, _ value: Int64?, of kind: StrategyKind, isOfKey: Bool
  ) {
    let name = item.name
    if let parameter = kind.parameter(named: name) {
      if isOfKey, name == "within", let value, (20...2000).contains(value) {
        warn(
          .hardlyMeant, item.nameRange,
          "“within” is for how many presses the key stays bad; as the time of a double press it needs "
            + "“double” beside it")
      }
      warn(of: value, item, parameter.effect, isOfKey: isOfKey)
    } else if let parameter = kind.retired.first(where: { $0.name == name }) {
      warn(
        .retired, item.nameRange,
        "“\(name)” no longer has an effect on the strategy “\(kind.rawValue)”: \(parameter.advice)")
    } else {
      let own = kind.parameters.map(\.name)
      let owners = StrategyKind.allCases.filter { $0.parameter(named: name) != nil }.map(\.rawValue)
      report(
        .misplaced, item.nameRange,
        "“\(name)” is no parameter of the strategy “\(kind.rawValue)”; expected "
          + (own.isEmpty ? "none" : Self.list(own))
          + (owners.isEmpty
            ? Self.suggestion(for: name, among: own)
            : "; “\(name)” belongs to \(Self.list(owners, "and"))"))
    }
  }

  /// Warns of a setting that has no effect because the strategy is `none`.
  mutating func warn(ofUseless item: TOMLItem, beside kind: StrategyKind) {
    guard kind == .none else { return }
    warn(
      .withoutEffect, item.nameRange,
      "“\(item.name)” has no effect: the strategy here is “none”, which passes everything on")
  }

  /// Warns of a time that is longer than is wise.
  mutating func warn(
    of time: Microseconds?, _ item: TOMLItem, _ effect: Effect?, isOfKey: Bool = false
  ) {
    guard let time, let effect, time > effect.warned else { return }
    warn(
      .longTime, item.valueRange,
      "\(quoted(item.name)) is \(item.description), more than \(effect.warned / 1000) ms: "
        + effect.sentence(item.description, isOfKey: isOfKey))
  }

  mutating func keys(
    _ item: TOMLItem, refining outer: StrategyChoice, into settings: inout EffectiveSettings
  ) {
    var names: [KeyCode: String] = [:]
    for item in entries(of: item) {
      let code = key(named: item.name, item.nameRange)
      var meanings = Meanings(single: code ?? 0)
      let choice = choice(ofKey: item, refining: outer, &meanings)
      let isMeant = Self.meaningEntries(beside: item).contains { item[$0.name] != nil }
      if isMeant { check(meanings, in: item, of: code, choice ?? outer) }
      guard let code else { continue }
      if let other = names[code] {
        report(
          .repeatedKey, item.nameRange,
          "“\(item.name)” is the same key as “\(other)”; expected each key once")
      }
      names[code] = item.name
      mentions.keys.append(.init(code: code, name: item.name, place: place(of: item.nameRange)))
      settings.rules.keys[code] = choice?.strategy
      settings.keyThresholds[code] = choice?.givenThreshold
      // The threshold of slow-keys is how long a press must last, and says nothing of gaps.
      if let choice, choice.kind != .slowKeys { meanings.shortestGap = choice.shortestGap }
      settings.rules.meanings[code] = isMeant ? meanings : nil
    }
  }

  /// Reads what is given for one key: a threshold, a strategy, or a table of both and more.
  private mutating func choice(
    ofKey item: TOMLItem, refining outer: StrategyChoice, _ meanings: inout Meanings
  ) -> StrategyChoice? {
    let meant = Self.timeMeant(by: item).map { "\($0), or a strategy" }
    guard meant == nil, item.table != nil || item.number != nil || item.string != nil else {
      let names = StrategyKind.allCases.map(\.rawValue)
      let advice = Self.suggestion(for: item.description, among: names)
      mismatch(
        item,
        expected: meant ?? "a threshold, a strategy, or a table of both and parameters\(advice)")
      return nil
    }
    return choice(
      of: item, refining: outer, beside: Self.meaningEntries(beside: item), into: &meanings,
      isOfKey: true)
  }

  mutating func groups(_ item: TOMLItem) -> [Group] {
    var seen: Set<KeyCode> = []
    let groups = value(of: item, \.list, expected: "a list of tables: [[groups]]") ?? []
    return groups.compactMap { group($0, &seen) }
  }

  private mutating func group(_ item: TOMLItem, _ seen: inout Set<KeyCode>) -> Group? {
    guard let table = item.table else {
      report(
        .badGroup, item.valueRange, "a group is \(item.description); expected a table: [[groups]]")
      return nil
    }
    for entry in table.values where entry.name != "keys" && entry.name != "lockout" {
      report(stranger: entry, known: ["keys", "lockout"])
    }
    for (name, expected) in [("keys", "two or more"), ("lockout", "milliseconds")]
    where table[name] == nil {
      report(.badGroup, item.valueRange, "a group without “\(name)”; expected \(expected)")
    }
    var members: [Mentions.Key] = []
    if let list = table["keys"] {
      members = keys(
        of: list, expected: "a list of key names",
        repeated: { "\($0) is in a group already; expected each key in one group, once" },
        seen: &seen)
      mentions.keys += members
      if let names = list.list, names.count < 2 {
        report(
          .badGroup, list.valueRange,
          "a group of fewer than two keys locks nothing out; expected “keys” with more")
      }
    }
    guard let item = table["lockout"] else { return nil }
    let lockout = milliseconds(item, tooLong: "the other keys of the group would seem dead")
    if lockout == 0 {
      warn(
        .withoutEffect, item.nameRange,
        "“lockout” has no effect: for 0 ms a group locks nothing out; expected more, or no such group"
      )
    }
    let keys = Set(members.map(\.code))
    guard let lockout, keys.count > 1 else { return nil }
    return Group(keys: keys, lockout: lockout)
  }
}

/// The strategy that follows from several places, the nearest of which wins.
///
/// The places, from far to near: what is packaged, `[defaults]`, the device file's `[debounce]`, its `[keys]`.
///
/// * A place that names another strategy takes its parameters away. The threshold stays, unless one of the strategies is for
///   hands, such as `bounce-keys`, and the other for switches: that is another kind of time.
/// * A threshold decides on all parameters that follow from it and are not named as near as itself, or nearer.
struct StrategyChoice {
  private(set) var kind: StrategyKind
  /// `nil` if no place gives one: then the strategy has its packaged parameters.
  private var threshold: Microseconds?
  /// Parameters by their names: microseconds, counts, and 1 or 0 for flags.
  private var values: [String: Int64] = [:]
  /// Whether the nearest place is the key's own and names it.
  private var namesKey = false

  static let packaged = StrategyChoice(kind: Rules().strategy.kind)

  /// The choice as it is at a nearer place, which need not give all of it.
  ///
  /// - Parameter isOfKey: Whether that is an entry of `[keys]`: there a number says that the key is bad.
  func refined(
    by kind: StrategyKind, _ threshold: Microseconds?, _ values: [String: Int64], isOfKey: Bool
  ) -> StrategyChoice {
    var choice = self
    if kind != self.kind {
      choice.kind = kind
      choice.values = [:]
      let isOfHands = kind.packaged.isAccessibility
      if isOfHands != self.kind.packaged.isAccessibility { choice.threshold = nil }
    }
    if let threshold {
      choice.threshold = threshold
      for parameter in kind.parameters where parameter.formula != nil {
        choice.values[parameter.name] = nil
      }
    }
    choice.values.merge(values) { $1 }
    choice.namesKey =
      isOfKey
      && kind.parametersOfBadKeys.contains { threshold != nil || values[$0.name] != nil }
    return choice
  }

  /// The threshold that is given, if the strategy has any use for one.
  var givenThreshold: Microseconds? {
    kind.parameters.contains { $0.formula != nil } ? threshold : nil
  }

  /// The shortest gap before a second press that may count, in microseconds: the threshold, or the parameter in its place.
  var shortestGap: Microseconds {
    let strategy = strategy
    return kind.parameter(named: "delay")?.value(in: strategy) ?? threshold
      ?? Strategy.packagedThreshold
  }

  var strategy: Strategy {
    let strategy = kind.strategy(threshold: threshold, values)
    return namesKey ? strategy.named : strategy
  }
}
