import CEvdev
import Glibc
import Testing

@testable import EventDevices

@Suite("What one read brings")
struct EventBufferTests {
  /// A pipe instead of a device: it is read by the same call.
  private struct Pipe: ~Copyable {
    let (reading, writing): (CInt, CInt)

    init() {
      var ends: [CInt] = [0, 0]
      pipe(&ends)
      _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
      (reading, writing) = (ends[0], ends[1])
    }

    deinit { close(reading) }

    func send(_ values: Range<Int32>) {
      for value in values {
        var event = input_event()
        event.value = value
        write(writing, &event, MemoryLayout<input_event>.size)
      }
    }
  }

  /// The values of the next events, as far as they are there.
  private func values(of buffer: inout EventBuffer) -> [Int32] {
    var values: [Int32] = []
    while let event = buffer.next() { values.append(event.value) }
    return values
  }

  @Test("comes in order, and then it is time to read again")
  func order() {
    let pipe = Pipe()
    defer { close(pipe.writing) }
    var buffer = EventBuffer(capacity: 8)
    #expect(values(of: &buffer) == [])
    pipe.send(0..<3)
    let (first, tookAll) = (buffer.fill(from: pipe.reading), buffer.tookAll)
    #expect(first == .events && tookAll)
    #expect(values(of: &buffer) == [0, 1, 2])
    let second = buffer.fill(from: pipe.reading)
    #expect(second == .nothing)
  }

  @Test("is no more than there is room for; the rest comes with the next read")
  func full() {
    let pipe = Pipe()
    defer { close(pipe.writing) }
    pipe.send(0..<6)
    var buffer = EventBuffer(capacity: 4)
    let (first, tookAllFirst) = (buffer.fill(from: pipe.reading), buffer.tookAll)
    #expect(first == .events && !tookAllFirst)
    #expect(values(of: &buffer) == [0, 1, 2, 3])
    let (second, tookAllSecond) = (buffer.fill(from: pipe.reading), buffer.tookAll)
    #expect(second == .events && tookAllSecond)
    buffer.removeAll()
    #expect(values(of: &buffer) == [])
  }

  @Test("may be the end of the device")
  func gone() {
    let pipe = Pipe()
    close(pipe.writing)
    var buffer = EventBuffer(capacity: 4)
    let finding = buffer.fill(from: pipe.reading)
    #expect(finding == .gone)
  }
}
