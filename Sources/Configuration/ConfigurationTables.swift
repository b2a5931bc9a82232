import Debounce

/// The settings for every device, as `keydebounce.toml` gives them.
struct Defaults {
  /// The strategy, which device files and keys refine.
  var choice = StrategyChoice.packaged
  /// All settings for every device, with that strategy.
  var effective = Settings.packaged.defaults
}

// MARK: - What may stand where

extension TableReader {
  private static let deviceTables = ["device", "debounce", "keys", "groups", "wheel"]
  private static let debounceNames =
    ["strategy", "threshold", "flush"] + StrategyKind.parameterNames

  static let deviceEntries: [Entry<DeviceSettings>] =
    patternEntries + sharedEntries.map { $0.of(\.effective) }

  private static let patternEntries: [Entry<DeviceSettings>] = [
    // Blanks at the ends of names are not compared.
    Entry("name") {
      $2.pattern.name = $0.glob($1).map { Glob($0.pattern.withoutBlanksAtEnds) }
    },
    Entry("vendor") { $2.pattern.vendor = $0.number($1) },
    Entry("product") { $2.pattern.product = $0.number($1) },
    Entry("version") { $2.pattern.version = $0.number($1) },
    Entry("phys") { $2.pattern.phys = $0.glob($1) },
    Entry("uniq") { $2.pattern.uniq = $0.glob($1) },
    Entry("link") { $2.pattern.link = $0.glob($1) },
    Entry("seat") { $2.pattern.seat = $0.glob($1) },
    Entry("property") {
      for item in $0.entries(of: $1) { $2.pattern.properties[item.name] = $0.glob(item) }
    },
    Entry("ignore") { $2.isIgnored = $0.flag($1) ?? false },
    Entry("virtual") { $2.includesVirtual = $0.flag($1) ?? false },
  ]

  /// The entries that `[device]` and `[defaults]` have in common.
  private static let sharedEntries: [Entry<EffectiveSettings>] = [
    Entry("panic") {
      guard let keys = $0.panicChord($1) else { return }
      $2.panicChord = keys.map(\.code)
      $0.mentions.chord = keys
    },
    Entry("grab-after") {
      $2.grabAfter = $0.count(
        $1, " of seconds", in: 0...600, tooFew: "no time is negative",
        tooMany: "leave it out to wait until all keys are up, however long that takes"
      ).map { $0 * 1_000_000 }
    },
    Entry("clone-name") { $2.cloneName = $0.cloneName($1) ?? $2.cloneName },
    Entry("claim-links") { $2.claimsLinks = $0.flag($1) ?? $2.claimsLinks },
  ]

  private static let flush = Entry<EffectiveSettings>("flush") {
    $2.rules.flush = $0.name($1, Flush.self, what: "flush rule") ?? $2.rules.flush
  }

  static let wheelEntries: [Entry<WheelRules>] = [
    Entry("axes") { $2.axes = $0.axes($1) },
    Entry("reversal") {
      let danger = "the wheel would seem dead whenever it is turned back"
      $2.reversal = $0.milliseconds($1, tooLong: danger) ?? 0
    },
    Entry("first") {
      $2.first = $0.milliseconds($1, tooLong: "the wheel would seem dead whenever it is turned")
    },
    Entry("double") {
      $2.double = $0.milliseconds($1) ?? 0
      $0.warn(of: $2.double, $1, .double)
    },
  ]

  /// The table or file in which a name belongs that was found in the wrong one; `nil` if no table has it.
  func home(of name: String) -> String? {
    guard holdsForAll else { return name == "defaults" ? "keydebounce.toml" : Self.table(of: name) }
    if (Self.debounceNames + Self.sharedEntries.map(\.name)).contains(name) { return "[defaults]" }
    if Self.deviceTables.contains(name) {
      return (name == "debounce" ? "[defaults] (its lines), or in " : "")
        + "a file of its own in \(ConfigurationPlaces.devicesFolder)"
    }
    return Self.table(of: name).map { "\($0) of a file in \(ConfigurationPlaces.devicesFolder)" }
  }

  /// The table of a device file in which a name belongs.
  private static func table(of name: String) -> String? {
    if deviceEntries.contains(where: { $0.name == name }) { return "[device]" }
    if debounceNames.contains(name) { return "[debounce]" }
    if name == "double" { return "[wheel], or in the table of a key" }
    if wheelEntries.contains(where: { $0.name == name }) { return "[wheel]" }
    if name == "lockout" { return "[[groups]]" }
    if deviceTables.contains(name) { return "a table of its own, \(header(of: name))" }
    if name.hasPrefix("REL_") { return "[wheel], as “axes”, with “reversal”" }
    return KeyNames.code(named: name) == nil ? nil : "[keys]"
  }

  private static func header(of table: String) -> String {
    table == "groups" ? "[[groups]]" : "[\(table)]"
  }
}

// MARK: - The two kinds of files

extension TableReader {
  /// Reads `keydebounce.toml`.
  mutating func defaults(refining defaults: Defaults = Defaults()) -> Defaults {
    holdsForAll = true
    checkTables(known: ["defaults"])
    guard let item = tables["defaults"] else { return defaults }
    var defaults = defaults
    defaults.choice = choice(
      of: item, refining: defaults.choice, beside: [Self.flush] + Self.sharedEntries,
      into: &defaults.effective)
    defaults.effective.adopt(defaults.choice)
    return defaults
  }

  /// Reads a device file.
  mutating func device(refining defaults: Defaults) -> DeviceSettings {
    checkTables(known: Self.deviceTables)
    var settings = DeviceSettings(effective: defaults.effective)
    settings.effective.file = file
    if let item = tables["device"] {
      mentions.pattern = place(of: item.nameRange)
      read(item, by: Self.deviceEntries, into: &settings)
    }
    var choice = defaults.choice
    if let item = tables["debounce"] {
      choice = self.choice(
        of: item, refining: choice, beside: [Self.flush], into: &settings.effective)
    }
    settings.effective.adopt(choice)
    if let item = tables["keys"] { keys(item, refining: choice, into: &settings.effective) }
    checkEffect(of: settings, choice)
    if let item = tables["groups"] { settings.rules.groups = groups(item) }
    if let item = tables["wheel"] {
      read(item, by: Self.wheelEntries, into: &settings.rules.wheel)
      checkWheel(item)
    }
    return settings
  }

  /// Reports names at the top of the file that are none of its tables.
  private mutating func checkTables(known: [String]) {
    let headers = Self.list(known.map(Self.header))
    for item in tables.values where !known.contains(item.name) {
      report(
        stranger: item, what: item.isTable ? "table" : "name", known: known,
        expected: item.isTable ? headers : "the tables \(headers)")
    }
  }

  private mutating func checkWheel(_ table: TOMLItem) {
    func isNothing(_ name: String) -> Bool { table[name].map { $0.number == 0 } ?? true }
    guard isNothing("reversal") else { return }
    if !isNothing("double") {
      guard let first = table["first"] else { return }
      warn(
        .withoutEffect, first.nameRange,
        "“first” has no effect without “reversal”, which says when a first step may be wrong; expected both"
      )
    } else if Self.wheelEntries.contains(where: { table[$0.name] != nil }) {
      warn(
        .withoutEffect, table.nameRange,
        "“wheel” without “reversal” and “double” changes nothing; expected one of them, with a time above 0"
      )
    }
  }

  private mutating func checkEffect(of settings: DeviceSettings, _ choice: StrategyChoice) {
    guard !settings.isIgnored else {
      for item in Self.deviceTables.dropFirst().compactMap({ tables[$0] }) {
        warn(
          .withoutEffect, item.nameRange,
          "“\(item.name)” has no effect: with “ignore”, keydebounce leaves these devices alone")
      }
      return
    }
    if let threshold = tables["debounce"]?["threshold"],
      settings.rules.keys.values.allSatisfy({ $0 == .none })
    {
      warn(ofUseless: threshold, beside: choice.kind)
    }
    if settings.pattern.isEmpty { warnOfEveryDevice(choice) }
  }

  /// Warns of settings that are hardly meant for every device that no other file is about.
  private mutating func warnOfEveryDevice(_ choice: StrategyChoice) {
    let advice = "; expected lines in [device] that say which device the file is about"
    if let item = tables["device"]?["virtual"], item.boolean == true {
      warn(
        .withoutEffect, item.nameRange,
        "“virtual” has no effect: the file names no device, and keydebounce leaves virtual ones alone that no "
          + "file names" + advice)
    }
    if let item = tables["debounce"]?["strategy"], choice.kind == .none {
      warn(
        .hardlyMeant, item.valueRange,
        "“none” is for every device without a file of its own" + advice)
    }
    let button = tables["keys"]?.table?.values.filter { $0.name.hasPrefix("BTN_") }
      .min { $0.nameRange.lowerBound < $1.nameRange.lowerBound }
    for item in [tables["wheel"], button].compactMap(\.self) {
      warn(
        .hardlyMeant, item.nameRange,
        "the file names no device, so keydebounce debounces no mouse, pedal or pad for “\(item.name)”"
          + advice)
    }
  }
}

extension EffectiveSettings {
  fileprivate mutating func adopt(_ choice: StrategyChoice) {
    (rules.strategy, threshold) = (choice.strategy, choice.givenThreshold)
  }
}

// MARK: - Values of devices

extension TableReader {
  private mutating func axes(_ item: TOMLItem) -> [UInt16] {
    let names = AxisNames.all.map(\.name)
    let expected = "a list of axes, such as [\"REL_DIAL\"]"
    let elements = value(of: item, \.list, expected: expected)
    if elements?.isEmpty == true {
      report(.wrongValue, item.valueRange, "“axes” names none; expected \(expected)")
    }
    return (elements ?? []).compactMap { element in
      let expected = "the name of an axis: \(Self.list(names))"
      guard let name = value(of: element, \.string, expected: expected) else { return nil }
      if let axis = AxisNames.all.first(where: { $0.name == name }) { return axis.code }
      let whole = name.hasSuffix("_HI_RES") ? String(name.dropLast(7)) : name
      report(
        .unknownName, element.valueRange,
        "unknown axis \(quoted(name)); expected \(Self.list(names))"
          + (whole == name
            ? Self.suggestion(for: name, among: names)
            : "; “\(whole)” has its fractions with it"))
      return nil
    }
  }

  private mutating func glob(_ item: TOMLItem) -> Glob? {
    let expected = "a string, with * and ? for what may differ"
    guard let text = value(of: item, \.string, expected: expected) else { return nil }
    if item.name == "name", text.withoutBlanksAtEnds.isEmpty {
      warn(
        .hardlyMeant, item.valueRange,
        "“name” is empty, and hardly any device has no name; leave the line out, or write what "
          + "“keydebounce list” shows")
    }
    if let (_, advice) = Self.paths.first(where: { text.hasPrefix($0.path) }),
      ["name", "phys", "uniq"].contains(item.name)
        || item.name == "link" && text.hasPrefix("/dev/input/event")
    {
      warn(
        .hardlyMeant, item.valueRange,
        "“\(item.name)” is the path of a device, which matches none; \(advice)")
    } else if item.name == "link", text.contains("/"), !"/*?\\".contains(text.prefix(1)) {
      warn(
        .hardlyMeant, item.valueRange,
        "“link” has a slash, and is compared with whole paths, such as /dev/input/by-id/…; begin it so, or write its last "
          + "part alone")
    } else if let meant = Glob.meant(by: text) {
      warn(
        .hardlyMeant, item.valueRange,
        "“\(item.name)” looks like a regular expression, and only * and ? are special in a pattern; write "
          + "\(item.name) = \"\(meant.pattern)\"")
    }
    return Glob(text)
  }

  /// Advice on what to write in place of paths.
  private static let paths: [(path: String, advice: String)] = [
    ("/dev/input/by-", "expected it as “link”"),
    ("/dev/", "expected what “keydebounce list” shows: the number of a node changes"),
  ]

  private mutating func number(_ item: TOMLItem) -> UInt16? {
    let expected = "a number from 0 to 0xffff, such as 0x3434"
    let advice = item.string == nil ? "" : ", without quotation marks"
    let value = value(of: item, \.integer, expected: expected + advice)
    let number = value.flatMap { UInt16(exactly: $0) }
    if value != nil, number == nil { mismatch(item, expected: expected, kind: .outOfRange) }
    return number
  }

  private mutating func cloneName(_ item: TOMLItem) -> CloneName? {
    let expected = "a name, with %s where the device's own name belongs, as \"%s (debounced)\""
    guard let text = value(of: item, \.string, expected: expected) else { return nil }
    let hasControls = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    if !text.isEmpty, !hasControls, text.utf8.count <= CloneName.longest {
      return CloneName(template: text)
    }
    mismatch(
      item,
      expected: "\(expected), of 1 to \(CloneName.longest) bytes and without control characters",
      kind: .outOfRange)
    return nil
  }

  /// Reads the keys of the panic chord; `nil` if they are not a chord.
  private mutating func panicChord(_ item: TOMLItem) -> [Mentions.Key]? {
    let expected = "a list of 2 to 5 different keys"
    let isOff =
      item.list?.isEmpty ?? item.boolean.map { !$0 } ?? item.string.map {
        ["", "none", "off", "no", "false"].contains($0.lowercased())
      } ?? false
    let count = item.list?.count ?? 0
    let mistake: String? =
      switch count {
      case _ where isOff:
        "the panic chord cannot be switched off: it is the way out when the keyboard does not type what it should"
      case 1: "a panic chord of one key would end the daemon whenever that is pressed"
      case 6...:
        "a panic chord of \(count) keys is more than can be relied on to be held together"
      default: nil
      }
    if let mistake { report(.badChord, item.valueRange, "\(mistake); expected \(expected)") }
    guard !isOff else { return nil }
    var seen: Set<KeyCode> = []
    let keys = keys(
      of: item, expected: expected,
      repeated: { "\($0) is already in the panic chord; expected \(expected)" }, seen: &seen)
    return mistake == nil && seen.count == item.list?.count ? keys : nil
  }
}

// MARK: - What the strokes of a key mean

/// `single`, `double`, `hold`, `within`, `after` and `eager` in an entry of `[keys]`.
extension TableReader {
  static let meaningEntries: [Entry<Meanings>] = [
    Entry("single") { $2.single = $0.meantKey($1) ?? $2.single },
    Entry("double") { $2.double = $0.meantKey($1) },
    Entry("hold") { $2.hold = $0.meantKey($1) },
    // Limits in microseconds.
    Entry("within") { $2.within = $0.patience($1, in: 20_000...2_000_000) ?? $2.within },
    Entry("after") { $2.after = $0.patience($1, in: 20_000...10_000_000) ?? $2.after },
    Entry("eager") { $2.isEager = $0.flag($1) ?? false },
  ]

  /// The entries for meanings that a key's table may have.
  ///
  /// `within` is a parameter of `adaptive`, too. It belongs to meanings if the table has another of these entries.
  static func meaningEntries(beside item: TOMLItem) -> [Entry<Meanings>] {
    let given = meaningEntries.filter { item[$0.name] != nil }.map(\.name)
    return given == ["within"] ? meaningEntries.filter { $0.name != "within" } : meaningEntries
  }

  private mutating func meantKey(_ item: TOMLItem) -> KeyCode? {
    let advice = item.list == nil ? "" : ": \(Self.chordAdvice)"
    return value(of: item, \.string, expected: "the name of a key" + advice).flatMap {
      key(named: $0, item.valueRange)
    }
  }

  private mutating func patience(
    _ item: TOMLItem, in limits: ClosedRange<Microseconds>
  ) -> Microseconds? {
    milliseconds(
      item, in: limits, tooShort: "no finger is so fast",
      tooLong: "nobody waits for a key that long")
  }

  /// Reports contradictions in what a key's strokes mean.
  ///
  /// - Parameter code: The key; `nil` if its name is not known.
  mutating func check(
    _ meanings: Meanings, in table: TOMLItem, of code: KeyCode?, _ choice: StrategyChoice
  ) {
    let (isDouble, isLong) = (table["double"] != nil, table["hold"] != nil)
    let mistakes: [(name: String, isMade: Bool, message: String)] = [
      (
        "within", !isDouble,
        "“within” is how soon the second press of a double press comes, and there is no “double”; "
          + "expected both"
      ),
      (
        "after", !isLong,
        "“after” is how long a long press lasts, and there is no “hold”; expected both"
      ),
      (
        "eager", meanings.isEager && !isDouble && !isLong,
        "“eager” lets a single press pass before it is known whether a second one follows, and "
          + "there is no “double”; expected both, or neither"
      ),
      // They contradict each other, whatever is said of a double press.
      (
        "eager", meanings.isEager && isLong,
        "“eager” lets a single press pass at once, before it can be known to be a long one; "
          + "expected “eager” or “hold”, not both"
      ),
    ]
    for (name, isMade, message) in mistakes where isMade {
      if let item = table[name] { report(.badMeaning, item.nameRange, message) }
    }
    guard let code else { return }
    func emits(_ name: String, _ key: KeyCode) -> (item: TOMLItem, emitted: String)? {
      guard let item = table[name], let emitted = item.string, KeyNames.code(named: emitted) == key
      else { return nil }
      return (item, quoted(emitted))
    }
    for (name, word) in [("double", "double"), ("hold", "long")] {
      guard let (item, emitted) = emits(name, meanings.single) else { continue }
      report(
        .badMeaning, item.valueRange,
        "a \(word) press of \(quoted(table.name)) would emit \(emitted), as a single one does; "
          + "expected another key" + (table["single"] == nil ? ", or “single” with another" : ""))
    }
    if let (item, emitted) = emits("single", code) {
      warn(
        .badMeaning, item.valueRange,
        "a single press of \(quoted(table.name)) emits \(emitted) anyway: “single” is not needed")
    }
    guard let double = table["double"], meanings.within <= choice.shortestGap else { return }
    let least = "\(choice.shortestGap / 1000) ms"
    report(
      .badMeaning, (table["within"] ?? double).nameRange,
      "the second press of a double press must come within \(meanings.within / 1000) ms of the "
        + "first, and the key's threshold lets none count within \(least); expected "
        + "“within” of more than \(least), or a smaller “threshold”")
  }
}
