import Debounce
import EventDevices
import Recording

/// The keys of one device while they are pressed: which are down, and which light up. Nothing of this is stored.
struct LiveKeys: Equatable, Sendable {
  /// How long a key is lit at least, in microseconds: a tap is shorter than the pause between two drawings.
  static let shortestLight: Microseconds = 150_000
  /// How long it shows that something was removed.
  static let shortestAlarm: Microseconds = 600_000

  /// How often keys were pressed since somebody began to watch.
  private(set) var presses = 0
  /// The outcomes of the presses, counted as the engine counts.
  private var counters = Counters()
  var removed: Int { Int(clamping: counters.chatter.total + counters.suppressed) }
  /// Why keys do not light up; `nil` while they do, or where there is nothing to say of it.
  let blindness: String?

  private var down = KeySet()
  /// The times until which keys are lit, and show a removal.
  private var lights: [KeyCode: Microseconds] = [:]
  private var alarms: [KeyCode: Microseconds] = [:]

  init(blindness: String? = nil) { self.blindness = blindness }

  /// Whether a key is lit: it is down, or was a moment ago.
  func isLit(_ key: KeyCode) -> Bool { down.contains(key) || lights[key] != nil }

  /// Whether something of it was removed a moment ago.
  func isAlarmed(_ key: KeyCode) -> Bool { alarms[key] != nil }

  /// When something goes out; `nil` if nothing does.
  var due: Microseconds? { [lights.values.min(), alarms.values.min()].compactMap(\.self).min() }

  mutating func receive(_ entry: RecordingParser.Entry, at now: Microseconds) {
    switch entry {
    case .raw(let frame):
      for event in frame.events where event.type == EventType.key && event.value < 2 {
        if event.value == 0 {
          down.remove(event.code)
        } else {
          down.insert(event.code)
          lights[event.code] = now + Self.shortestLight
          presses += 1
        }
      }
    case .lost(_, let held, _): down = held
    case .outcome(let outcome):
      let before = removed
      counters.count(outcome)
      if removed > before { alarms[outcome.key] = now + Self.shortestAlarm }
      // A press that proves meant is passed on after all.
      if removed < before { alarms[outcome.key] = nil }
    case .clean, .reset, .paused, .closed: break
    }
  }

  /// Puts out what has been lit for long enough.
  ///
  /// - Returns: Whether that changes what is shown.
  mutating func advance(to now: Microseconds) -> Bool {
    let count = (lights.count, alarms.count)
    lights = lights.filter { $0.value > now }
    alarms = alarms.filter { $0.value > now }
    return (lights.count, alarms.count) != count
  }
}
