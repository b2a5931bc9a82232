import Calibration
import Debounce
import TypingModel

/// A setting tried on ordinary use of one key, by the engine itself.
struct Trial {
  var presses = 0
  var lost = 0
  var faults = 0
  var missed = 0
  /// Sums of how late presses and releases were, in milliseconds.
  var pressLatency = 0.0
  var releaseLatency = 0.0

  init(_ strategy: Strategy, on session: Session) {
    var engine = Debouncer(Rules(strategy: strategy))
    var frame = Frame(capacity: 1)
    var frames = FrameQueue()
    var emitted = [Int](repeating: 0, count: session.strokes.count)
    var pressed = 0
    var released = 0

    func collect(_ trial: inout Trial) {
      for index in 0..<frames.count {
        let time = frames.time(ofFrameAt: index)
        frames.withEvents(ofFrameAt: index) { events in
          for event in events where event.type == EventType.key {
            if event.value == 1 {
              emitted[pressed] += 1
              guard emitted[pressed] == 1 else { continue }
              trial.pressLatency +=
                max(0, Double(time - session.strokes[pressed].stroke.press) / 1000)
            } else {
              trial.releaseLatency +=
                max(0, Double(time - session.strokes[released].stroke.release) / 1000)
            }
          }
        }
      }
      frames.removeAll()
    }

    for edge in session.edges {
      // What came due before the edge could not know of it.
      engine.advance(to: edge.time - 1, into: &frames)
      collect(&self)
      if edge.down { pressed = edge.stroke } else { released = edge.stroke }
      frame.removeAll()
      frame.time = edge.time
      frame.append(.key(edge.key, down: edge.down))
      engine.process(frame, into: &frames)
      collect(&self)
    }
    engine.advance(to: .max / 2, into: &frames)
    collect(&self)
    for (stroke, presses) in zip(session.strokes, emitted) {
      self.presses += 1
      if presses == 0 { lost += 1 }
      guard stroke.fault != nil else { continue }
      faults += 1
      if presses > 1 { missed += 1 }
    }
  }

  /// Of 1000 presses, by the same ratios as those by which settings are proposed.
  func cost(_ costs: Costs = Costs()) -> Double {
    let presses = Double(max(1, presses))
    return 1000 * (costs.lost * Double(lost) + costs.missed * Double(missed)) / presses
      + (costs.releaseLatency * releaseLatency + costs.pressLatency * pressLatency) / presses
  }
}
