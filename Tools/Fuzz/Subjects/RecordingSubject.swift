import Debounce
import EventDevices
import Recording

/// Reads the bytes as a recording, replays it, and reads again what is written of it.
func violationOfRecording(in bytes: [UInt8]) -> String? {
  let (entries, device, error) = read(bytes)
  if let error {
    let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    guard error.line >= 1, error.line <= lines else { return "line \(error.line) of \(lines)" }
    let scalars = error.description.unicodeScalars
    guard !scalars.contains(where: { $0.properties.generalCategory == .control }) else {
      return "a control character: \(error)"
    }
  }

  var replay = Replay(Rules())
  for entry in entries { replay.process(entry) }
  replay.finish()
  let counters = replay.counters
  if counters.pressesOut > counters.pressesIn { return "\(counters)" }

  // Written and read again, the raw frames are the same, but for the moment at which they begin.
  let frames = entries.compactMap { entry -> Frame? in
    if case .raw(let frame) = entry { frame } else { nil }
  }
  guard let start = frames.first?.time else { return nil }
  var text = RecordingText(of: device)
  for frame in frames { text.append(raw: frame) }
  let again = read(text.bytes)
  if let error = again.error { return "what was written cannot be read: \(error)" }
  guard
    again.entries.elementsEqual(
      frames, by: { .raw(Frame(time: $1.time - start, $1.events)) == $0 })
  else { return "what was written is read otherwise" }
  return again.device.identity.bus == device.identity.bus
    && again.device.identity.vendor == device.identity.vendor
    ? nil : "the device is another"
}

/// What the recording contains up to its end, or up to what is wrong with it.
private func read(
  _ bytes: [UInt8]
) -> (entries: [RecordingParser.Entry], device: RecordedDevice, error: RecordingError?) {
  var unread = bytes[...]
  var reader = RecordingReader(file: "fuzz") { buffer in
    // In pieces, as from a pipe.
    let count = min(unread.count, buffer.count, 1000)
    buffer.copyBytes(from: unread.prefix(count))
    unread = unread.dropFirst(count)
    return count
  }
  var entries: [RecordingParser.Entry] = []
  do {
    while let entry = try reader.next() { entries.append(entry) }
    return (entries, reader.device, nil)
  } catch {
    return (entries, reader.device, error as? RecordingError)
  }
}
