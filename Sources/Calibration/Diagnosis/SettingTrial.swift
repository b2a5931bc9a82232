import Debounce

/// A setting tried on a key's own recording, by the engine itself.
///
/// The recording is played twice, and the second time counts: by then the engine knows the key, as it does in use.
struct SettingTrial {
  private(set) var strokes = 0
  /// Strokes that did not come out.
  private(set) var lost = 0
  /// Strokes with a fault, and those of them that came out as several.
  private(set) var faults = 0
  private(set) var missed = 0
  /// How late presses and releases were on average, in milliseconds.
  private(set) var pressLatency = 0.0
  private(set) var releaseLatency = 0.0

  /// A stroke, and how many presses came out of it.
  private struct Stroke {
    var press: Microseconds
    var release: Microseconds
    var isFaulty = false
    var emitted = 0
  }

  init(_ strategy: Strategy, on recording: KeyRecording) {
    var engine = Debouncer(Rules(strategy: .none, keys: [recording.key: strategy]))
    guard let first = recording.contacts.first, let last = recording.contacts.last else { return }
    let length = last.release - first.press + 10_000_000
    for shift in [-first.press, length - first.press] {
      count(Self.play(recording, shiftedBy: shift, by: &engine, into: &self))
    }
  }

  private mutating func count(_ played: [Stroke]) {
    strokes = played.count
    lost = played.count { $0.emitted == 0 }
    faults = played.count(where: \.isFaulty)
    missed = played.count { $0.isFaulty && $0.emitted > 1 }
  }

  private static func play(
    _ recording: KeyRecording, shiftedBy shift: Microseconds, by engine: inout Debouncer,
    into trial: inout SettingTrial
  ) -> [Stroke] {
    var strokes: [Stroke] = []
    var frame = Frame(capacity: 1)
    var output = FrameQueue()
    var (presses, releases) = (Microseconds(0), Microseconds(0))
    // What comes out belongs to the stroke that was last begun.
    func collect() {
      for index in 0..<output.count {
        let time = output.time(ofFrameAt: index)
        output.withEvents(ofFrameAt: index) { events in
          for event in events where event.type == EventType.key {
            guard let last = strokes.indices.last else { continue }
            if event.value == 0 {
              releases += max(0, time - strokes[last].release)
            } else {
              strokes[last].emitted += 1
              if strokes[last].emitted == 1 { presses += max(0, time - strokes[last].press) }
            }
          }
        }
      }
      output.removeAll()
    }
    func send(_ isDown: Bool, at time: Microseconds) {
      frame.removeAll()
      frame.time = time
      frame.append(.key(recording.key, down: isDown))
      engine.process(frame, into: &output)
      collect()
    }
    for contact in recording.contacts {
      let (press, release) = (shift + contact.press, shift + contact.release)
      // What came due before the press could not know of it.
      engine.advance(to: press - 1, into: &output)
      collect()
      if contact.goesOn, let last = strokes.indices.last {
        strokes[last].isFaulty = true
        strokes[last].release = release
      } else {
        strokes.append(Stroke(press: press, release: release))
      }
      send(true, at: press)
      engine.advance(to: release - 1, into: &output)
      collect()
      send(false, at: release)
    }
    engine.advance(to: shift + (recording.contacts.last?.release ?? 0) + 1_000_000, into: &output)
    collect()
    let count = Double(max(1, strokes.count)) * 1000
    trial.pressLatency = Double(presses) / count
    trial.releaseLatency = Double(releases) / count
    return strokes
  }
}
