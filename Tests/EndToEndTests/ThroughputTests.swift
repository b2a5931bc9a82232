import CEvdev
import Debounce
import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("Millions of events through a keyboard and a fast mouse at once")
  struct ThroughputTests {
    /// How many events are sent, with the `SYN_REPORT` that end frames. 5 million take minutes where the machine is
    /// emulated.
    private static let events = isEndurance ? 5_000_000 : 150_000

    @Test("none is lost or in the wrong place but those that are suppressed")
    func millions() throws {
      // Key A must last for a second, which it never does. Key S is debounced as usual; the others pass.
      let folder = try ConfigurationFolder(
        device: passing(
          "keydebounce test keyboard",
          except: """
            [keys]
            KEY_A = { strategy = "defer", threshold = 1000 }
            KEY_S = "adaptive"
            """))
      try folder.write(
        device: "10-mouse.toml",
        passing(
          "keydebounce test mouse",
          except: "[keys]\nBTN_LEFT = { strategy = \"defer\", threshold = 1000 }"))
      var blueprint = Blueprint.keyboard()
      // Repeats would come whenever the machine takes a break.
      blueprint.repeats = false
      let (keyboard, mouse) = (try UinputDevice(blueprint), try UinputDevice(.mouse()))
      let daemon = try DaemonProcess(call: [
        "run", "--device", keyboard.path, "--device", mouse.path, "--config", folder.path,
      ])
      let streams = [
        try Stream(
          .keyboard, from: keyboard, to: daemon.waitForClone(of: keyboard.path),
          events: Self.events / 2),
        try Stream(
          .mouse, from: mouse, to: daemon.waitForClone(of: mouse.path), events: Self.events / 2),
      ]
      let start = monotonicNow()
      for stream in streams { stream.start() }
      for stream in streams {
        stream.waitForEnd()
        #expect(stream.fault == nil, "\(stream.kind)")
        #expect(stream.sent >= Self.events / 2)
      }
      print("\(streams.map(\.sent)) events in \((monotonicNow() - start) / 1000) ms")
      #expect(try daemon.end() == 0)
      #expect(!daemon.log.contains("events were lost"))
    }
  }
}

/// One device that sends as quickly as it is read, on a thread of its own.
///
/// A batch is sent with one call, and has to come out of the clone before the next is sent: the kernel keeps 64 events
/// for a reader who is late.
private final class Stream: @unchecked Sendable {
  enum Kind {
    case keyboard, mouse
  }

  let kind: Kind
  /// What went wrong; only read after ``waitForEnd()``.
  private(set) var fault: String?
  /// How many events were sent.
  private(set) var sent = 0

  private let device: UinputDevice
  private let clone: EventNode
  private let events: Int
  private let end = DispatchSemaphore(value: 0)
  private var batch: [input_event] = []
  /// What is to come out: of each event its type and code, and its value.
  private var expected: [UInt64] = []
  private var counter: Int32 = 0
  /// Whether the key that chatters is down, going by what came out.
  private var isDown = false

  init(_ kind: Kind, from device: UinputDevice, to path: String, events: Int) throws {
    self.kind = kind
    self.device = device
    self.events = events
    clone = try EventNode(path: path)
  }

  func start() {
    Thread.detachNewThread { [self] in
      while sent < events, fault == nil {
        fill()
        guard batch.withUnsafeBufferPointer({ device.send($0) }) else {
          fault = "cannot send: \(errno)"
          break
        }
        sent += batch.count
        receive()
      }
      end.signal()
    }
  }

  func waitForEnd() {
    end.wait()
  }

  /// Makes the next batch, of less than 64 events.
  private func fill() {
    batch.removeAll(keepingCapacity: true)
    expected.removeAll(keepingCapacity: true)
    switch kind {
    case .keyboard:
      // Strokes of a key that passes, with its scan code, and a bounce of one that does not within them.
      // Two, because `adaptive` may deliver eight strokes that it had withdrawn in between, a frame for each edge.
      for _ in 0..<2 {
        counter &+= 1
        let key = 2 + UInt16(counter % 9)
        add(EV_MSC, UInt16(MSC_SCAN), counter)
        add(EV_KEY, key, 1)
        add(EV_SYN, 0, 0)
        add(EV_MSC, UInt16(MSC_SCAN), 30, passes: false)
        add(EV_KEY, 30, 1, passes: false)
        add(EV_SYN, 0, 0, passes: false)
        add(EV_KEY, 30, 0, passes: false)
        add(EV_MSC, UInt16(MSC_SCAN), counter)
        add(EV_KEY, key, 0)
        add(EV_SYN, 0, 0)
        // Chatter: what of it comes out is the engine's to say, but press and release take turns.
        add(EV_KEY, 31, 1, passes: false)
        add(EV_SYN, 0, 0, passes: false)
        add(EV_KEY, 31, 0, passes: false)
        add(EV_SYN, 0, 0, passes: false)
      }
    case .mouse:
      for round in 0..<12 {
        counter = counter % 30_000 + 1
        add(EV_REL, UInt16(REL_X), counter)
        if round % 4 == 1 { add(EV_KEY, UInt16(BTN_LEFT), 1, passes: false) }
        if round % 4 == 2 { add(EV_KEY, UInt16(BTN_LEFT), 0, passes: false) }
        add(EV_REL, UInt16(REL_Y), -counter)
        if round % 4 == 3 { add(EV_REL, UInt16(REL_WHEEL_HI_RES), 15) }
        add(EV_SYN, 0, 0)
      }
    }
  }

  private func add(_ type: CInt, _ code: UInt16, _ value: Int32, passes: Bool = true) {
    batch.append(cevdev_event(0, UInt16(type), code, value))
    if passes { expected.append(Self.word(UInt16(type), code, value)) }
  }

  private static func word(_ type: UInt16, _ code: UInt16, _ value: Int32) -> UInt64 {
    UInt64(type) << 48 | UInt64(code) << 32 | UInt64(UInt32(bitPattern: value))
  }

  /// Reads until the batch has come out.
  private func receive() {
    var count = 0
    var isChatter = false
    while count < expected.count {
      let events = clone.read()
      guard !events.isEmpty || !clone.hasEnded && waitUntilReadable(clone.descriptor) else {
        fault = "after \(sent) events, \(expected.count - count) do not come out"
        return
      }
      for event in events {
        // The key that is debounced as usual has frames of its own.
        if event.type == EV_KEY, event.code == 31 {
          isChatter = true
          guard (event.value == 1) != isDown, event.value < 2 else {
            fault = "after \(sent) events, the key that chatters goes twice the same way"
            return
          }
          isDown.toggle()
          continue
        }
        if isChatter, event.type == EV_SYN, event.code == SYN_REPORT {
          isChatter = false
          continue
        }
        let word = Self.word(event.type, event.code, event.value)
        guard count < expected.count, word == expected[count] else {
          fault = "after \(sent) events, \(event) is not what was sent"
          return
        }
        count += 1
      }
    }
  }
}
