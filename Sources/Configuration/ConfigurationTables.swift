import Debounce

/// What holds for every device: `keydebounce.toml`.
struct Defaults {
  /// The strategy, which device files and keys refine.
  var choice = StrategyChoice.packaged
  /// All of it, with that strategy.
  var effective = Settings.packaged.defaults
}

/// Reading the two kinds of files.
extension TableReader {
  private static let deviceTables = ["device", "debounce", "keys", "groups", "wheel"]
  static let deviceNames = [
    "name", "vendor", "product", "version", "phys", "uniq", "link", "seat", "property", "ignore",
    "virtual", "panic", "grab-after", "clone-name", "claim-links",
  ]
  /// What `[device]` and `[defaults]` have in common.
  private static let sharedNames = ["panic", "grab-after", "clone-name", "claim-links"]
  static let wheelNames = ["axes", "reversal", "first", "double"]
  private static let debounceNames =
    ["strategy", "threshold", "flush"] + StrategyKind.parameterNames

  /// The table in which a name belongs that was found outside of any table, or in the wrong one.
  private static func table(of name: String) -> String? {
    if deviceNames.contains(name) { return "[device]" }
    if debounceNames.contains(name) { return "[debounce]" }
    if name == "double" { return "[wheel], or in the table of a key" }
    if wheelNames.contains(name) { return "[wheel]" }
    if name == "lockout" { return "[[groups]]" }
    if deviceTables.contains(name) {
      return "a table of its own, \(name == "groups" ? "[[groups]]" : "[\(name)]")"
    }
    if name.hasPrefix("REL_") { return "[wheel], as “axes”, with “reversal”" }
    return KeyNames.code(named: name) == nil ? nil : "[keys]"
  }

  /// Reads `keydebounce.toml`.
  ///
  /// - Parameter defaults: What holds where the file says nothing.
  mutating func defaults(refining defaults: Defaults = Defaults()) -> Defaults {
    var defaults = defaults
    let tables = tables(known: ["defaults"]) { name in
      Self.sharedNames.contains(name) || Self.debounceNames.contains(name)
        ? "[defaults]" : Self.placeOfDevice(name)
    }
    guard let item = tables["defaults"] else { return defaults }
    let entries = entries(of: item).filter {
      !readShared($0.key, $0.item, into: &defaults.effective)
    }
    defaults.choice = debounce(
      entries, refining: defaults.choice, flush: &defaults.effective.rules.flush,
      known: Self.sharedNames, elsewhere: Self.placeOfDevice)
    defaults.effective.rules.strategy = defaults.choice.strategy
    defaults.effective.threshold = defaults.choice.givenThreshold
    return defaults
  }

  /// Reads an entry that may stand in `[device]` and in `[defaults]`.
  ///
  /// - Returns: Whether it was one.
  private mutating func readShared(
    _ key: String, _ item: TOMLItem, into settings: inout EffectiveSettings
  ) -> Bool {
    switch key {
    case "panic":
      guard let keys = panicChord(item) else { break }
      settings.panicChord = keys.map(\.code)
      mentions.chord = keys
    case "grab-after": settings.grabAfter = grabAfter(item)
    case "clone-name": settings.cloneName = cloneName(item) ?? settings.cloneName
    case "claim-links": settings.claimsLinks = flag(item) ?? settings.claimsLinks
    default: return false
    }
    return true
  }

  /// Where a name belongs that was found in `keydebounce.toml`, and that is about one device.
  private static func placeOfDevice(_ name: String) -> String? {
    if deviceTables.contains(name) { return "a file of its own in devices.d" }
    return table(of: name).map { "\($0) of a file in devices.d" }
  }

  /// Reads a device file.
  mutating func device(refining defaults: Defaults) -> DeviceSettings {
    let tables = tables(known: Self.deviceTables) {
      $0 == "defaults" ? "keydebounce.toml" : Self.table(of: $0)
    }
    var settings = DeviceSettings(defaults.effective, for: DevicePattern())
    settings.effective.file = file
    if let item = tables["device"] { readDevice(item, into: &settings) }

    var choice = defaults.choice
    if let item = tables["debounce"] {
      choice = debounce(
        entries(of: item), refining: choice, flush: &settings.effective.rules.flush,
        elsewhere: Self.table)
    }
    settings.rules.strategy = choice.strategy
    settings.effective.threshold = choice.givenThreshold
    if let item = tables["keys"] { keys(item, refining: choice, into: &settings.effective) }
    warnOfIdle(tables, settings, choice)
    if settings.pattern.isEmpty, !settings.isIgnored { warnOfEveryDevice(tables, choice) }
    if let item = tables["groups"] { settings.rules.groups = groups(item) }
    if let item = tables["wheel"] { settings.rules.wheel = wheel(item) }
    return settings
  }

  /// Warns of what has no effect beside something else.
  private mutating func warnOfIdle(
    _ tables: [String: TOMLItem], _ settings: DeviceSettings, _ choice: StrategyChoice
  ) {
    if settings.isIgnored {
      for name in Self.deviceTables.dropFirst() {
        guard let item = tables[name] else { continue }
        report(
          .withoutEffect, .name, of: item, severity: .warning,
          "“\(name)” has no effect: with “ignore”, keydebounce leaves these devices alone")
      }
    } else if let threshold = tables["debounce"]?["threshold"],
      settings.rules.keys.values.allSatisfy({ $0 == .none })
    {
      warn(ofUseless: threshold, beside: choice.kind)
    }
  }

  /// Warns of what hardly is meant for every device that no other file is about.
  private mutating func warnOfEveryDevice(_ tables: [String: TOMLItem], _ choice: StrategyChoice) {
    let advice = "; expected lines in [device] that say which device the file is about"
    if let item = tables["debounce"]?["strategy"], choice.kind.name == "none" {
      report(
        .hardlyMeant, .value, of: item, severity: .warning,
        "“none” is for every device without a file of its own" + advice)
    }
    let button = tables["keys"]?.entries.values.filter { $0.name.hasPrefix("BTN_") }
      .min { $0.nameRange.lowerBound < $1.nameRange.lowerBound }
    for item in [tables["wheel"], button].compactMap(\.self) {
      report(
        .hardlyMeant, .name, of: item, severity: .warning,
        "the file names no device, so keydebounce debounces no mouse, pedal or pad for “\(item.name)”"
          + advice)
    }
  }

  /// Reads `[device]`.
  private mutating func readDevice(_ item: TOMLItem, into settings: inout DeviceSettings) {
    mentions.pattern = place(.name, of: item)
    for (key, item) in entries(of: item) {
      switch key {
      case "name": settings.pattern.name = glob(item).map { Glob($0.pattern.withoutBlanksAtEnds) }
      case "phys": settings.pattern.phys = glob(item)
      case "uniq": settings.pattern.uniq = glob(item)
      case "link": settings.pattern.link = glob(item)
      case "seat": settings.pattern.seat = glob(item)
      case "property":
        for (name, value) in entries(of: item) { settings.pattern.properties[name] = glob(value) }
      case "vendor": settings.pattern.vendor = number(item)
      case "product": settings.pattern.product = number(item)
      case "version": settings.pattern.version = number(item)
      case "ignore": settings.isIgnored = flag(item) ?? false
      case "virtual": settings.includesVirtual = flag(item) ?? false
      case _ where readShared(key, item, into: &settings.effective): break
      default:
        if let table = Self.table(of: key) {
          report(misplaced: item, expected: table)
        } else {
          report(unknown: item, what: "name", known: Self.deviceNames)
        }
      }
    }
  }

  /// Reads `[wheel]`.
  private mutating func wheel(_ item: TOMLItem) -> WheelRules {
    var rules = WheelRules()
    let entries = entries(of: item)
    for (key, item) in entries {
      switch key {
      case "axes": rules.axes = axes(item)
      case "reversal":
        let danger = "the wheel would seem dead whenever it is turned back"
        rules.reversal = milliseconds(item, danger: danger) ?? 0
      case "first":
        rules.first = milliseconds(item, danger: "the wheel would seem dead whenever it is turned")
      case "double":
        rules.double = milliseconds(item) ?? 0
        warn(of: rules.double, item, WheelRules.longDouble)
      default:
        if Spelling.usual(for: key, among: Self.wheelNames) == nil, let table = Self.table(of: key)
        {
          report(misplaced: item, expected: table)
        } else {
          report(unknown: item, what: "name", known: Self.wheelNames)
        }
      }
    }
    let named = Set(entries.map(\.key))
    if named.isDisjoint(with: ["reversal", "double"]), !named.isDisjoint(with: Self.wheelNames) {
      report(
        .withoutEffect, .name, of: item, severity: .warning,
        "“wheel” without “reversal” and “double” changes nothing; expected one of them")
    }
    return rules
  }

  /// Reads which axes are watched.
  private mutating func axes(_ item: TOMLItem) -> [UInt16] {
    let names = AxisNames.all.map(\.name)
    var axes: [UInt16] = []
    let expected = "a list of axes, such as [\"REL_DIAL\"]"
    if case .array(let elements) = item.value, elements.isEmpty {
      report(.wrongValue, .value, of: item, "“axes” names none; expected \(expected)")
    }
    for element in elements(of: item, expected: expected) {
      guard let name = string(element, expected: "the name of an axis: \(Self.list(names))") else {
        continue
      }
      guard let axis = AxisNames.all.first(where: { $0.name == name }) else {
        let whole = name.hasSuffix("_HI_RES") ? String(name.dropLast(7)) : name
        report(
          .unknownName, .value, of: element,
          "unknown axis \(quoted(name)); expected \(Self.list(names))"
            + (whole == name
              ? Self.suggestion(for: name, among: names)
              : "; “\(whole)” has its fractions with it"))
        continue
      }
      axes.append(axis.code)
    }
    return axes
  }

  /// Reads after how many seconds a device is grabbed although keys are down.
  private mutating func grabAfter(_ item: TOMLItem) -> Microseconds? {
    count(
      item, "of seconds", in: 0...600, few: "no time is negative",
      many: "leave it out to wait until all keys are up, however long that takes"
    ).map { Microseconds($0) * 1_000_000 }
  }

  private mutating func glob(_ item: TOMLItem) -> Glob? {
    let text = string(item, expected: "a string, with * and ? for what may differ")
    if let text, let (_, advice) = Self.paths.first(where: { text.hasPrefix($0.path) }),
      ["name", "phys", "uniq"].contains(item.name)
        || item.name == "link" && text.hasPrefix("/dev/input/event")
    {
      report(
        .hardlyMeant, .value, of: item, severity: .warning,
        "“\(item.name)” is the path of a device, which matches none; \(advice)")
    }
    return text.map(Glob.init)
  }

  /// What to write in place of paths.
  private static let paths: [(path: String, advice: String)] = [
    ("/dev/input/by-", "expected it as “link”"),
    ("/dev/", "expected what “keydebounce list” shows: the number of a node changes"),
  ]

  private mutating func number(_ item: TOMLItem) -> UInt16? {
    let expected = "a number from 0 to 0xffff, such as 0x3434"
    guard case .integer(let value) = item.value else {
      let isQuoted = if case .string = item.value { true } else { false }
      mismatch(item, expected: expected + (isQuoted ? ", without quotation marks" : ""))
      return nil
    }
    guard let number = UInt16(exactly: value) else {
      mismatch(item, expected: expected, kind: .outOfRange)
      return nil
    }
    return number
  }
}

/// The panic chord in `[defaults]` and in `[device]`.
extension TableReader {
  private static let expectedChord = "a list of 2 to 5 different keys"

  /// Reads the keys of the chord; `nil` if they are not a chord.
  mutating func panicChord(_ item: TOMLItem) -> [Mentions.Key]? {
    if isOff(item) {
      report(
        .badChord, .value, of: item,
        "the panic chord cannot be switched off: it is the way out when the keyboard does not type "
          + "what it should; expected \(Self.expectedChord)")
      return nil
    }
    guard case .array(let elements) = item.value else {
      mismatch(item, expected: Self.expectedChord)
      return nil
    }
    if elements.count < 2 {
      report(
        .badChord, .value, of: item,
        "a panic chord of one key would end the daemon whenever that is pressed; expected "
          + Self.expectedChord)
    } else if elements.count > 5 {
      report(
        .badChord, .value, of: item,
        "a panic chord of \(elements.count) keys is more than can be relied on to be held together; "
          + "expected \(Self.expectedChord)")
    }
    var seen: Set<KeyCode> = []
    let keys = keys(
      of: item, expected: Self.expectedChord,
      repeated: { "\($0) is already in the panic chord; expected \(Self.expectedChord)" },
      seen: &seen)
    return seen.count == elements.count && (2...5).contains(elements.count) ? keys : nil
  }

  /// Whether the value means that there should be none.
  private func isOff(_ item: TOMLItem) -> Bool {
    switch item.value {
    case .boolean(let flag): !flag
    case .array(let elements): elements.isEmpty
    case .string(let text): ["", "none", "off", "no", "false"].contains(text.lowercased())
    default: false
    }
  }
}

/// What the strokes of a key mean: `single`, `double`, `hold`, `within`, `after` and `eager` in an entry of `[keys]`.
extension TableReader {
  /// The names of all that can be given for it.
  static let meaningNames = ["single", "double", "hold", "within", "after", "eager"]

  /// Which entries of a key's table are about what its strokes mean.
  ///
  /// `within` is a parameter of `adaptive`, too: it is one of these where another of these stands beside it.
  static func meaningNames(of item: TOMLItem) -> [String] {
    guard case .table(let table) = item.value else { return [] }
    let names = meaningNames.filter { table[$0] != nil }
    return names == ["within"] ? [] : names
  }

  /// Reads what the strokes of a key mean; `nil` if nothing is given, or nothing that makes sense.
  ///
  /// - Parameters:
  ///   - code: The key; `nil` if its name is not known.
  ///   - choice: The strategy that decides on it.
  mutating func meanings(
    of item: TOMLItem, _ code: KeyCode?, _ choice: StrategyChoice
  ) -> Meanings? {
    guard case .table(let table) = item.value, !Self.meaningNames(of: item).isEmpty else {
      return nil
    }
    // All are read, so that all mistakes are shown.
    let single = table["single"].flatMap { meantKey($0) }
    let double = table["double"].flatMap { meantKey($0) }
    let hold = table["hold"].flatMap { meantKey($0) }
    let within = table["within"].flatMap { time($0, in: Meanings.withinLimits) }
    let after = table["after"].flatMap { time($0, in: Meanings.afterLimits) }
    let isEager = table["eager"].flatMap { flag($0) } ?? false
    reportWhatIsLonely(table, isEager: isEager)
    guard let code else { return nil }
    var meanings = Meanings(
      single: single ?? code, double: double, hold: hold,
      isEager: isEager, shortestGap: choice.shortestGap)
    // Its threshold is how long a press must last, and says nothing of gaps.
    if choice.kind.name == "slow-keys" { meanings.shortestGap = Strategy.packagedThreshold }
    if let within { meanings.within = within }
    if let after { meanings.after = after }
    compare(meanings, of: code, named: item.name, table)
    checkTime(meanings, table, choice)
    return meanings
  }

  private mutating func meantKey(_ item: TOMLItem) -> KeyCode? {
    guard
      let name = string(
        item, expected: "the name of a key" + (item.isList ? ": \(Self.chordAdvice)" : ""))
    else { return nil }
    return key(named: name, .value, of: item)
  }

  private mutating func time(
    _ item: TOMLItem, in limits: ClosedRange<Microseconds>
  ) -> Microseconds? {
    guard
      let time = milliseconds(
        item, from: limits.lowerBound, upTo: limits.upperBound,
        danger: "nobody waits for a key that long")
    else { return nil }
    guard time >= limits.lowerBound else {
      mismatch(
        item,
        expected: "milliseconds from \(limits.lowerBound / 1000) to \(limits.upperBound / 1000): "
          + "no finger is so fast", kind: .outOfRange)
      return nil
    }
    return time
  }

  /// Reports what is about a meaning that the key does not have.
  private mutating func reportWhatIsLonely(_ table: [String: TOMLItem], isEager: Bool) {
    if let item = table["within"], table["double"] == nil {
      report(
        .badMeaning, .name, of: item,
        "“within” is how soon the second press of a double press comes, and there is no “double”; "
          + "expected both")
    }
    if let item = table["after"], table["hold"] == nil {
      report(
        .badMeaning, .name, of: item,
        "“after” is how long a long press lasts, and there is no “hold”; expected both")
    }
    guard isEager, let item = table["eager"] else { return }
    if table["double"] == nil {
      report(
        .badMeaning, .name, of: item,
        "“eager” lets a single press pass before it is known whether a second one follows, and "
          + "there is no “double”; expected both, or neither")
    }
    if table["hold"] != nil {
      report(
        .badMeaning, .name, of: item,
        "“eager” lets a single press pass at once, before it can be known to be a long one; "
          + "expected “eager” or “hold”, not both")
    }
  }

  /// Reports meanings that are no different from each other.
  private mutating func compare(
    _ meanings: Meanings, of key: KeyCode, named name: String, _ table: [String: TOMLItem]
  ) {
    for (meaning, word) in [("double", "double"), ("hold", "long")] {
      guard let item = table[meaning], case .string(let emitted) = item.value,
        KeyNames.code(named: emitted) == meanings.single
      else { continue }
      report(
        .badMeaning, .value, of: item,
        "a \(word) press of \(quoted(name)) would emit \(quoted(emitted)), as a single one does; "
          + "expected another key" + (table["single"] == nil ? ", or “single” with another" : ""))
    }
    if let item = table["single"], case .string(let emitted) = item.value,
      KeyNames.code(named: emitted) == key
    {
      report(
        .badMeaning, .value, of: item, severity: .warning,
        "a single press of \(quoted(name)) emits \(quoted(emitted)) anyway: “single” is not needed")
    }
  }

  /// Reports a `within` in which no second press can come.
  private mutating func checkTime(
    _ meanings: Meanings, _ table: [String: TOMLItem], _ choice: StrategyChoice
  ) {
    let shortest = choice.shortestGap
    guard let double = table["double"], meanings.within <= shortest else { return }
    let least = "\(shortest / 1000) ms"
    report(
      .badMeaning, .name, of: table["within"] ?? double,
      "the second press of a double press must come within \(meanings.within / 1000) ms of the "
        + "first, and the key's threshold lets none count within \(least); expected "
        + "“within” of more than \(least), or a smaller “threshold”")
  }
}
