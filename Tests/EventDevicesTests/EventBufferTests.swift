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

    /// Sends frames that end at 5 ms, 6 ms and so on.
    func send(_ frames: [[(type: CInt, code: CInt)]]) {
      for (index, frame) in frames.enumerated() {
        let time = Int64(5 + index) * 1000
        for (type, code) in frame {
          var event = cevdev_event(time, UInt16(type), UInt16(code), 1)
          write(writing, &event, MemoryLayout<input_event>.size)
        }
      }
    }

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

  @Test("is taken to the end, also what comes while the rest is taken")
  func toTheEnd() {
    let pipe = Pipe()
    defer { close(pipe.writing) }
    var buffer = EventBuffer(capacity: 4)
    pipe.send(0..<3)
    _ = buffer.fill(from: pipe.reading)
    pipe.send(3..<7)
    var values: [Int32] = []
    buffer.takeAll(from: pipe.reading) { event in
      values.append(event.value)
      // A press in the last moment of a grab.
      if event.value == 6 { pipe.send(7..<8) }
    }
    #expect(values == Array(0..<8))
    let isEmpty = buffer.isEmpty
    #expect(isEmpty)
  }

  private static let report = (type: EV_SYN, code: SYN_REPORT)
  private static let (x, wheel) = ((type: EV_REL, code: REL_X), (type: EV_REL, code: REL_WHEEL))

  /// How many events each call takes of what was sent, and the times of their frames.
  private func taken(_ frames: [[(type: CInt, code: CInt)]], atMost limit: Int = 32) -> [String] {
    let pipe = Pipe()
    defer { close(pipe.writing) }
    pipe.send(frames)
    var buffer = EventBuffer(capacity: 64)
    _ = buffer.fill(from: pipe.reading)
    var taken: [String] = []
    while let motion = buffer.takeMotion(of: ~(1 << UInt16(REL_WHEEL)), atMost: limit) {
      taken.append("\(motion.events.count): \(motion.times.first) to \(motion.times.last)")
    }
    let left = values(of: &buffer).count
    return taken + (left > 0 ? ["\(left) left"] : [])
  }

  @Test("is taken as it is, as far as it is motion")
  func motion() {
    let (one, two) = ([Self.x, Self.report], [Self.x, Self.x, Self.report])
    #expect(taken([]) == [])
    #expect(taken([one]) == ["2: 5000 to 5000"])
    #expect(taken([two, one, one]) == ["7: 5000 to 7000"])
    #expect(taken([one, two, [Self.wheel, Self.report], one]) == ["5: 5000 to 6000", "4 left"])
    // Frames stay whole.
    #expect(taken([two, two], atMost: 4) == ["3: 5000 to 5000", "3: 6000 to 6000"])
    #expect(taken([one, two, one], atMost: 5) == ["5: 5000 to 6000", "2: 7000 to 7000"])
    #expect(taken([two], atMost: 2) == ["3 left"])
  }

  @Test("is apart from what comes after it where time runs backwards")
  func backwards() {
    let pipe = Pipe()
    defer { close(pipe.writing) }
    let frame = [Self.x, Self.report]
    pipe.send([frame, frame])
    pipe.send([frame])
    var buffer = EventBuffer(capacity: 64)
    _ = buffer.fill(from: pipe.reading)
    let both = (buffer.takeMotion(of: .max, atMost: 32), buffer.takeMotion(of: .max, atMost: 32))
    #expect(both.0?.events.count == 4 && both.1?.events.count == 2)
    #expect(both.0?.times.last == 6000 && both.1?.times.first == 5000)
  }

  @Test(
    "is left for whoever decides on it if it is anything else",
    arguments: [
      [x], [report], [x, (EV_SYN, SYN_DROPPED)], [x, (EV_SYN, SYN_DROPPED), report],
      [x, (EV_KEY, BTN_LEFT), report], [(EV_MSC, MSC_SCAN), report], [x, (EV_REL, 16), report],
      [x, (EV_ABS, ABS_X), report],
      [x, wheel, report],
    ] as [[(type: CInt, code: CInt)]])
  func noMotion(frame: [(type: CInt, code: CInt)]) {
    #expect(taken([frame]) == ["\(frame.count) left"])
    #expect(taken([[Self.x, Self.report], frame]) == ["2: 5000 to 5000", "\(frame.count) left"])
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
