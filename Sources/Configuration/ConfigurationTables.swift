import Debounce

/// What holds for every device: `keydebounce.toml`.
struct Defaults {
  var choice = StrategyChoice.packaged
  var flush = Flush.modifiers
}

/// The two kinds of files.
extension TableReader {
  private static let deviceTables = ["device", "debounce", "keys", "groups"]

  /// Reads `keydebounce.toml`.
  mutating func defaults() -> Defaults {
    var defaults = Defaults()
    let place = "a file of its own in devices.d"
    let tables = tables(
      known: ["defaults"],
      elsewhere: Dictionary(uniqueKeysWithValues: Self.deviceTables.map { ($0, place) }))
    if let item = tables["defaults"] {
      defaults.choice = debounce(item, refining: defaults.choice, flush: &defaults.flush)
    }
    return defaults
  }

  /// Reads a device file.
  mutating func device(refining defaults: Defaults) -> DeviceSettings {
    let tables = tables(known: Self.deviceTables, elsewhere: ["defaults": "keydebounce.toml"])
    var settings = DeviceSettings(file: file, pattern: DevicePattern(), rules: Rules())
    if let item = tables["device"] { readDevice(item, into: &settings) }

    var choice = defaults.choice
    var flush = defaults.flush
    if let item = tables["debounce"] {
      choice = debounce(item, refining: choice, flush: &flush)
    }
    settings.rules = Rules(
      strategy: choice.strategy,
      keys: tables["keys"].map { keys($0, refining: choice) } ?? [:],
      groups: tables["groups"].map { groups($0) } ?? [], flush: flush)
    return settings
  }

  /// Reads `[device]`.
  private mutating func readDevice(_ item: TOMLItem, into settings: inout DeviceSettings) {
    for (key, item) in entries(of: item) {
      switch key {
      case "name": settings.pattern.name = glob(item)
      case "phys": settings.pattern.phys = glob(item)
      case "uniq": settings.pattern.uniq = glob(item)
      case "vendor": settings.pattern.vendor = number(item)
      case "product": settings.pattern.product = number(item)
      case "version": settings.pattern.version = number(item)
      case "ignore": settings.isIgnored = flag(item) ?? false
      default:
        report(
          unknown: item, what: "name",
          known: ["name", "vendor", "product", "version", "phys", "uniq", "ignore"])
      }
    }
  }

  private mutating func glob(_ item: TOMLItem) -> Glob? {
    string(item, expected: "a string, with * and ? for what may differ").map(Glob.init)
  }

  private mutating func number(_ item: TOMLItem) -> UInt16? {
    guard case .integer(let value) = item.value, let number = UInt16(exactly: value) else {
      report(
        item,
        "“\(item.path.last ?? "")” is \(item.description); expected a number from 0 to 0xffff, as 0x3434"
      )
      return nil
    }
    return number
  }
}
