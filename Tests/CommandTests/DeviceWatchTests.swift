import Debounce
import EventDevices
import Glibc
import Recording
import Terminal
import Testing

@testable import keydebounce

@Suite("Watching devices")
struct DeviceWatchTests {
  @Test("passes on what each device has sent, with its number, until the last is gone")
  func frames() throws {
    let (first, second) = (PipeDevice(), PipeDevice())
    second.send(.frame(at: 7), .frame(at: 8))
    first.send(.frame(at: 9))
    second.unplug()
    var watcher = Watcher()
    watcher.whenWaiting = { _ in
      if !first.isUnplugged { first.unplug() }
      return .wait(until: nil)
    }
    let end = try watch(first, second).run(&watcher)
    #expect(end == .gone)
    #expect(watcher.received.map(\.device) == [0, 1, 1])
    #expect(watcher.received.map(\.time) == [9, 7, 8])
  }

  @Test("passes on that events were lost")
  func loss() throws {
    let device = PipeDevice()
    device.send(.loss(holding: 30))
    device.unplug()
    var watcher = Watcher()
    _ = try watch(device).run(&watcher)
    #expect(watcher.held == [KeySet([30])])
  }

  @Test("ends when the watcher has seen enough, with everything received that was there")
  func enough() throws {
    let device = PipeDevice()
    device.send(.frame(at: 1), .frame(at: 2))
    var watcher = Watcher()
    watcher.whenWaiting = { _ in .end }
    let end = try watch(device).run(&watcher)
    #expect(end == .finished)
    #expect(watcher.received.count == 2)
  }

  @Test("reports the time again at the moment that the watcher names")
  func time() throws {
    let device = PipeDevice()
    var watcher = Watcher()
    var due: Microseconds?
    watcher.whenWaiting = { now in
      guard let moment = due else {
        due = now + 2000
        return .wait(until: now + 2000)
      }
      return now >= moment ? .end : .wait(until: moment)
    }
    let end = try watch(device).run(&watcher)
    #expect(end == .finished)
  }

  @Test("ends with a signal, after what came before it; a new size of the terminal does not end it")
  func signals() throws {
    let device = PipeDevice()
    var watcher = Watcher()
    var turn = 0
    watcher.whenWaiting = { _ in
      turn += 1
      // To this thread, which has them blocked.
      if turn == 1 { raise(SIGWINCH) }
      if turn == 2 {
        device.send(.frame(at: 5))
        raise(SIGTERM)
      }
      return .wait(until: nil)
    }
    let end = try watch(device).run(&watcher)
    #expect(end == .stopped(SIGTERM))
    #expect(watcher.received.map(\.time) == [5])
  }

  private func watch(_ devices: PipeDevice...) -> DeviceWatch {
    var watch = DeviceWatch(devices)
    watch.discardsInput = false
    return watch
  }
}

/// Records what it receives.
private struct Watcher: DeviceWatcher {
  var received: [(device: Int, time: Microseconds)] = []
  var held: [KeySet] = []
  /// What it answers when everything has been received.
  var whenWaiting: (Microseconds) -> DeviceWatch.Next = { _ in .wait(until: nil) }

  mutating func receive(_ entry: RecordingParser.Entry, from device: Int) {
    if case .raw(let frame) = entry { received.append((device, frame.time)) }
    if case .lost(_, let held, _) = entry { self.held.append(held) }
  }

  mutating func advance(
    to now: Microseconds, on screen: inout LiveScreen
  ) -> DeviceWatch.Next { whenWaiting(now) }
}

/// A device whose file is a pipe: each byte stands for something that it has sent.
private final class PipeDevice: WatchedDevice {
  /// Something that a device sends.
  enum Message {
    case frame(at: Microseconds)
    case loss(holding: KeyCode)
  }

  let endInWords = "unplugged"
  let descriptor: CInt
  private let writing: CInt
  private(set) var isUnplugged = false
  private var messages: [Message] = []

  init() {
    var ends: [CInt] = [0, 0]
    pipe(&ends)
    (descriptor, writing) = (ends[0], ends[1])
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  deinit {
    close(descriptor)
    if !isUnplugged { close(writing) }
  }

  func send(_ messages: Message...) {
    self.messages += messages
    for _ in messages { write(writing, "a", 1) }
  }

  func unplug() {
    isUnplugged = true
    close(writing)
  }

  func read() -> RecordingParser.Entry? {
    var byte: UInt8 = 0
    switch Glibc.read(descriptor, &byte, 1) {
    case 0: return .closed(at: 0)
    case 1: break
    default: return nil
    }
    return switch messages.removeFirst() {
    case .frame(let time): .raw(Frame(time: time))
    case .loss(let key): .lost(lines: 1, held: KeySet([key]), at: 0)
    }
  }

  func reopen() {}
}
