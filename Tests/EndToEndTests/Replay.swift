import Configuration
import Debounce
import EventDevices
import Recording
import StrokeFixtures
import TestMachine

/// The moves of keys in the frames, in order and without repeats: what is compared where times may differ.
func keyMoves(_ frames: [Frame]) -> [Event] {
  frames.flatMap { $0.events.filter { $0.type == EventType.key && $0.value != 2 } }
}

extension Frame {
  /// Whether a key repeats in it.
  var isRepeat: Bool { events.contains { $0.type == EventType.key && $0.value == 2 } }

  /// Whether the mark moves in it.
  var isMark: Bool { events.contains { $0.type == EventType.key && $0.code == mark } }
}

/// What a run has recorded, and what the engine alone makes of the same raw frames.
struct Replay {
  /// What the device sent.
  var raw: [Frame] = []
  /// What the daemon passed on.
  var clean: [Frame] = []
  /// What the engine passes on, given the raw frames and all the time it needs.
  var replayed: [Frame] = []
  /// What the engine has learned in the end.
  var habits = LearnedHabits()

  init(
    _ entries: [RecordingParser.Entry], by rules: Rules = Settings.packaged.rules,
    knowing habits: LearnedHabits = LearnedHabits()
  ) {
    var engine = Debouncer(rules)
    engine.install(habits)
    var isClosed = false
    for entry in entries {
      if case .raw(let frame) = entry { raw.append(frame) }
      if case .clean(let frame) = entry { clean.append(frame) }
      if case .closed = entry { isClosed = true }
      engine.process(recorded: entry)
    }
    if !isClosed { engine.advance(to: .max) }
    replayed = engine.output.frames
    self.habits = engine.habits
  }
}

extension DaemonProcess {
  /// What has been recorded, as soon as it holds `count` clean releases of the mark.
  ///
  /// The daemon writes to the clone first and to the recording then, so what an application has read may not
  /// stand there yet.
  func recording(withMarks count: Int) throws -> Replay {
    var replay = Replay([])
    try wait(for: "a recording that holds \(count) marks") {
      replay = Replay(try recorded())
      return replay.clean.count { $0.events.contains(.key(mark, down: false)) } >= count
    }
    return replay
  }
}

extension EventReader {
  /// Has a key go down or up, and waits until that has come through.
  ///
  /// - Returns: How keys have moved since the last frame that was read.
  @discardableResult
  func move(_ key: KeyCode, down: Bool, on keyboard: UinputDevice) throws -> [Event] {
    keyboard.send(key, down: down)
    return keyMoves(try frames(upTo: .key(key, down: down)))
  }

  /// Plays strokes, if there are any, and the mark, and returns how keys move meanwhile.
  func moves(of strokes: [Edge] = [], on player: some Player) throws -> [Event] {
    try player.play(strokes)
    try player.playMark()
    return keyMoves(try framesUpToMark())
  }

  /// The frames up to the release of the mark, and without it.
  func framesUpToMark() throws -> [Frame] {
    try frames(upTo: .key(mark, down: false)).filter { !$0.isMark }
  }
}
