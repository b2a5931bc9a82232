import CEvdev
import Debounce
import Glibc
import Testing

@testable import EventDevices

/// Looks for bytes in all memory of this process's own. Other tests may free some of it meanwhile, so the kernel is asked for it.
///
/// - Parameter pattern: The bytes, each with its bits turned over: they must not be found where they are asked for.
private func isInMemory(invertedBytes pattern: [UInt8]) -> Bool {
  // Where it is searched, it is not looked for: that is shared memory.
  let size = 1 << 20
  guard let room = mmap(nil, 2 * size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
  else { return false }
  defer { munmap(room, 2 * size) }
  let (needle, part) = (room, room + size)
  for (index, byte) in pattern.enumerated() {
    needle.storeBytes(of: ~byte, toByteOffset: index, as: UInt8.self)
  }
  let memory = open("/proc/self/mem", O_RDONLY)
  defer { close(memory) }
  let maps = fopen("/proc/self/maps", "r")
  defer { if let maps { fclose(maps) } }
  var line = [CChar](repeating: 0, count: 512)
  while let maps, fgets(&line, CInt(line.count), maps) != nil {
    let text = String(
      decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let fields = text.split { $0.isWhitespace }
    let ends = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
    guard fields[1] == "rw-p", fields.count == 5 || fields[5] == "[heap]", ends.count == 2 else {
      continue
    }
    var start = ends[0]
    while start < ends[1] {
      let read = pread(memory, part, min(size, ends[1] - start), start)
      guard read > 0 else { break }
      if isFound(needle, pattern.count, in: part, read) { return true }
      // What lies across the end of this part is in the next.
      start += read < size ? read : size - pattern.count
    }
  }
  return false
}

private func isFound(
  _ needle: UnsafeRawPointer, _ length: Int, in memory: UnsafeRawPointer, _ size: Int
) -> Bool {
  let first = CInt(needle.load(as: UInt8.self))
  let end = memory + size
  var start = memory
  while let raw = memchr(start, first, start.distance(to: end)) {
    let found = UnsafeRawPointer(raw)
    if found.distance(to: end) >= length, memcmp(found, needle, length) == 0 { return true }
    start = found + 1
  }
  return false
}

/// What devices have sent must not be found in memory that was freed.
///
/// One after the other: each looks through the memory of all.
@Suite("What was typed", .serialized)
struct OverwritingTests {
  /// A key that nobody else sends here.
  private static func event(_ value: Int32) -> Event {
    Event(type: 0x5a5a, code: 0x3c3c, value: value)
  }

  /// Two events that lie beside each other only where frames are kept, their bits turned over.
  private static func inverted(_ values: Int32...) -> [UInt8] {
    values.flatMap { value in withUnsafeBytes(of: event(value)) { $0.map { ~$0 } } }
  }

  @Test("is not left behind by frames that were kept")
  func store() {
    var room: FrameStore? = FrameStore()
    // Or what is freed would go back to the system.
    let behind = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 8)
    defer { behind.deallocate() }
    for value in 0..<100 as Range<Int32> {
      room?.append(Frame(time: 0, [Self.event(1000 + value)]))
    }
    let pattern = Self.inverted(1050, 1051)
    #expect(isInMemory(invertedBytes: pattern))
    room = nil
    #expect(!isInMemory(invertedBytes: pattern))
  }

  @Test("is not left behind by events that a clone did not take")
  func unknown() {
    var kept: KeptEvents? = KeptEvents()
    for value in 0..<100 as Range<Int32> {
      kept?.append((0..<8).map { Self.event(8000 + 8 * value + $0) })
    }
    let pattern = Self.inverted(8404, 8405)
    #expect(isInMemory(invertedBytes: pattern))
    kept = nil
    #expect(!isInMemory(invertedBytes: pattern))
  }

  @Test("is not left behind by what was read at once")
  func read() {
    var ends: [CInt] = [0, 0]
    pipe(&ends)
    for value in 0..<100 as Range<Int32> {
      var event = cevdev_event(0, 0x5a5a, 0x3c3c, 2000 + value)
      write(ends[1], &event, MemoryLayout<input_event>.size)
    }
    close(ends[1])
    let pattern = [2050, 2051].flatMap { value in
      withUnsafeBytes(of: cevdev_event(0, 0x5a5a, 0x3c3c, value)) { $0.map { ~$0 } }
    }
    fill(from: ends[0], lookingFor: pattern)
    #expect(!isInMemory(invertedBytes: pattern))
    close(ends[0])
  }

  private func fill(from descriptor: CInt, lookingFor pattern: [UInt8]) {
    var buffer = EventBuffer(capacity: 128)
    let finding = buffer.fill(from: descriptor)
    #expect(finding == .events && isInMemory(invertedBytes: pattern))
  }

  @Test("is not left behind by what was written at once")
  func written() throws {
    let pattern = [3050, 0].enumerated().flatMap { index, value in
      withUnsafeBytes(
        of: cevdev_event(7, index == 0 ? 0x5a5a : 0, index == 0 ? 0x3c3c : 0, Int32(value))
      ) {
        $0.map { ~$0 }
      }
    }
    try add(lookingFor: pattern)
    #expect(!isInMemory(invertedBytes: pattern))
  }

  private func add(lookingFor pattern: [UInt8]) throws {
    var writer = FrameWriter()
    // More than it has room for at first.
    for value in 0..<100 as Range<Int32> { writer.add([Self.event(3000 + value)], at: 7) }
    #expect(isInMemory(invertedBytes: pattern))
  }
}
