import Debounce

/// The parameters in a line of rules, taken one by one.
struct StrokeParameters {
  /// Those not yet taken.
  var values: [String: String]
  /// The first of them whose value makes no sense.
  private(set) var wrong: String?

  init(values: [String: String]) {
    self.values = values
  }

  mutating func take(_ name: String) -> String? {
    values.removeValue(forKey: name)
  }

  /// Sets `time` to the parameter, if it is there.
  private mutating func set(_ name: String, _ time: inout Microseconds) {
    guard let text = take(name) else { return }
    guard let value = StrokeParser.microseconds(text) else { return fail(name, text) }
    time = value
  }

  /// Sets `count` to the parameter, if it is there.
  private mutating func set(_ name: String, _ count: inout Int) {
    guard let text = take(name) else { return }
    guard let value = Int(text) else { return fail(name, text) }
    count = value
  }

  private mutating func fail(_ name: String, _ text: String) {
    wrong = wrong ?? "\(name)=\(text)"
  }

  /// The threshold, if it is there.
  private mutating func threshold() -> Microseconds? {
    values["threshold"] == nil ? nil : time("threshold")
  }

  /// Sets `flag` to the parameter, if it is there.
  private mutating func set(_ name: String, _ flag: inout Bool) {
    guard let text = take(name) else { return }
    guard let value = Bool(text) else { return fail(name, text) }
    flag = value
  }

  /// The time that is called `name`; 0 if it is not there.
  mutating func time(_ name: String) -> Microseconds {
    var time: Microseconds = 0
    set(name, &time)
    return time
  }

  /// Sets the times of presses and of releases.
  private mutating func set(_ press: inout Microseconds, _ release: inout Microseconds) {
    set("press", &press)
    set("release", &release)
  }

  private mutating func set(_ rule: inout Confirm) {
    set("short", &rule.short)
    set("settle", &rule.settle)
    set("suspect", &rule.suspect)
    set("confirm", &rule.confirm)
    set("dropout", &rule.dropout)
  }

  /// The strategy of this name, with the parameters that are here.
  mutating func strategy(_ name: Substring) -> Strategy? {
    switch name {
    case "none":
      return Strategy.none
    case "defer":
      var rule = Defer(threshold: threshold() ?? 0)
      set(&rule.press, &rule.release)
      return .defer(rule)
    case "eager":
      var rule = Eager(threshold: threshold() ?? 0)
      set(&rule.press, &rule.release)
      return .eager(rule)
    case "eager-defer":
      var rule = EagerDefer(threshold: threshold() ?? 0)
      set(&rule.press, &rule.release)
      return .eagerDefer(rule)
    case "prompt":
      var rule = Prompt(threshold: threshold() ?? 0)
      set("quiet", &rule.quiet)
      return .prompt(rule)
    case "throttle":
      var rule = Throttle(threshold: threshold() ?? 0)
      set("interval", &rule.interval)
      set("latest", &rule.latest)
      return .throttle(rule)
    case "confirm":
      var rule = threshold().map { Confirm(threshold: $0) } ?? Confirm()
      set(&rule)
      return .confirm(rule)
    case "adaptive":
      var rule = threshold().map { Adaptive(threshold: $0) } ?? Adaptive()
      set(&rule.rule)
      set("learn", &rule.learn)
      set("within", &rule.within)
      set("spurious", &rule.spurious)
      return .adaptive(rule)
    default:
      return nil
    }
  }
}
