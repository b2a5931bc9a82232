import Debounce
import Foundation
import Recording

/// The files of the tests.
let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .appending(path: "Fixtures")

/// What reads a recording, in portions as a pipe might give them.
func reader(of bytes: [UInt8], portion: Int = .max) -> RecordingReader {
  var unread = bytes[...]
  return RecordingReader(file: "test") { buffer in
    let count = min(buffer.count, portion, unread.count)
    buffer.copyBytes(from: unread.prefix(count))
    unread.removeFirst(count)
    return count
  }
}

/// Reads a recording to its end.
func read(
  _ bytes: [UInt8], portion: Int = .max
) throws -> (device: RecordedDevice, entries: [RecordingParser.Entry]) {
  var reader = reader(of: bytes, portion: portion)
  var entries: [RecordingParser.Entry] = []
  while let entry = try reader.next() { entries.append(entry) }
  return (reader.device, entries)
}

func read(_ text: String) throws -> [RecordingParser.Entry] {
  try read(Array(text.utf8)).entries
}

/// Reads one of the files.
func read(fixture path: String) throws -> (
  device: RecordedDevice, entries: [RecordingParser.Entry]
) {
  try read(contents(ofFixture: path))
}

func contents(ofFixture path: String) throws -> [UInt8] {
  try Array(Data(contentsOf: fixtures.appending(path: path)))
}

/// All that comes out of a replay.
struct Replayed {
  var frames: [Frame] = []
  var suppressed: [Suppression] = []
  var counters = Counters()
}

/// Replays a recording to its end.
func replayed(
  _ entries: [RecordingParser.Entry], _ rules: Rules = Rules(),
  _ habits: LearnedHabits = LearnedHabits()
) -> Replayed {
  var replay = Replay(rules, habits)
  var result = Replayed()
  func collect() {
    result.frames += replay.output.frames
    result.suppressed += replay.suppressed
  }
  for entry in entries {
    replay.process(entry)
    collect()
  }
  replay.finish()
  collect()
  result.counters = replay.counters
  return result
}

/// What is wrong with a recording; `nil` if nothing is.
func mistake(in bytes: [UInt8]) throws -> String? {
  do {
    _ = try read(bytes)
    return nil
  } catch let error as RecordingError {
    return "\(error)"
  }
}

extension RecordingText {
  var string: String { String(decoding: bytes, as: UTF8.self) }

  mutating func append(clean frame: Frame) {
    frame.events.withUnsafeBufferPointer { append(clean: $0, at: frame.time) }
  }
}
