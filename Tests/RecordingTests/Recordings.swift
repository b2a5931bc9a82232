import Debounce
import Foundation
import Recording

/// The files of the tests.
let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .appending(path: "Fixtures")

/// Reads a recording to its end, in portions as a pipe might give them.
func read(
  _ bytes: [UInt8], portion: Int = .max
) throws -> (device: RecordedDevice, entries: [RecordingParser.Entry]) {
  var unread = bytes[...]
  var reader = RecordingReader(file: "test") { buffer in
    let count = min(buffer.count, portion, unread.count)
    buffer.copyBytes(from: unread.prefix(count))
    unread.removeFirst(count)
    return count
  }
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
  mutating func append(clean frame: Frame) {
    frame.events.withUnsafeBufferPointer { append(clean: $0, at: frame.time) }
  }
}
