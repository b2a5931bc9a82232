import Debounce

/// What is seen of the keys of one device while they are pressed: which are down, and which light up. Kept nowhere.
struct LiveKeys: Equatable, Sendable {
  enum Sight: Equatable, Sendable {
    /// The device sent a press or a release.
    case raw(KeyCode, isDown: Bool)
    /// Something of this key was removed.
    case removed(KeyCode)
    /// What was removed proves meant, and is passed on after all.
    case restored(KeyCode)
    /// Events were lost; these keys are down now.
    case lost(held: Set<KeyCode>)
  }

  /// How long a key is lit at least, in microseconds: a tap is shorter than the pause between two drawings.
  static let shortestLight: Microseconds = 150_000
  /// How long it shows that something was removed.
  static let shortestAlarm: Microseconds = 600_000

  /// How often each key was pressed since somebody began to watch, and how much was removed.
  private(set) var presses = 0
  private(set) var removed = 0
  /// Whether somebody watches the device, so that keys light up.
  let isWatching: Bool
  /// Why keys do not light up; `nil` while they do, or where there is nothing to say of it.
  let blindness: String?

  private var down: Set<KeyCode> = []
  /// Until when keys are lit, and show that something of them was removed.
  private var lights: [KeyCode: Microseconds] = [:]
  private var alarms: [KeyCode: Microseconds] = [:]

  init(isWatching: Bool = false, blindness: String? = nil) {
    (self.isWatching, self.blindness) = (isWatching, blindness)
  }

  /// Whether a key is lit: it is down, or was a moment ago.
  func isLit(_ key: KeyCode) -> Bool { down.contains(key) || lights[key] != nil }

  /// Whether something of it was removed a moment ago.
  func isAlarmed(_ key: KeyCode) -> Bool { alarms[key] != nil }

  /// When something goes out; `nil` if nothing does.
  var due: Microseconds? { [lights.values.min(), alarms.values.min()].compactMap(\.self).min() }

  mutating func receive(_ sight: Sight, at now: Microseconds) {
    switch sight {
    case .raw(let key, true):
      down.insert(key)
      lights[key] = now + Self.shortestLight
      presses += 1
    case .raw(let key, false): down.remove(key)
    case .removed(let key):
      alarms[key] = now + Self.shortestAlarm
      removed += 1
    case .restored(let key):
      alarms[key] = nil
      removed = max(0, removed - 1)
    case .lost(let held): down = held
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

extension DaemonStream {
  /// What has been seen since this was last asked; `nil` if nothing more comes.
  func sights() -> [LiveKeys.Sight]? {
    var sights: [LiveKeys.Sight] = []
    while true {
      switch read() {
      case .frame(let frame):
        for event in frame.events where event.type == EventType.key && event.value < 2 {
          sights.append(.raw(event.code, isDown: event.value == 1))
        }
      case .begun(let held), .lost(let held, _): sights.append(.lost(held: Set(held)))
      case .decided(let outcome):
        switch outcome.kind {
        case .withdrawn: sights.append(.removed(outcome.key))
        case .suppressed where outcome.isPress: sights.append(.removed(outcome.key))
        case .restored: sights.append(.restored(outcome.key))
        default: break
        }
      case .nothing: return sights
      case .gone: return nil
      }
    }
  }
}
