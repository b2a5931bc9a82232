import Debounce
import EventDevices
import Glibc
import Recording
import Samples
import Terminal
import TestMachine
import Testing

@testable import keydebounce

@Suite("Watching devices")
struct DeviceWatchTests {
  @Test("passes on what each device has sent, with its number, until the last is gone")
  func frames() throws {
    let (first, second) = try (ShownDevice(), ShownDevice())
    second.send(frame(at: 7), frame(at: 8))
    first.send(frame(at: 9))
    second.unplug()
    var watcher = Watcher()
    var isFirst = true
    watcher.whenWaiting = { _ in
      if isFirst { first.unplug() }
      isFirst = false
      return .wait(until: nil)
    }
    let end = try watch(first, second).run(&watcher)
    #expect(end == .gone)
    #expect(watcher.received.map(\.device) == [0, 1, 1])
    #expect(watcher.received.map(\.time) == [9, 7, 8])
  }

  @Test("passes on that events were lost")
  func loss() throws {
    let device = try ShownDevice()
    device.send(WatchedStream.loss(1, held: KeySet([30])))
    device.unplug()
    var watcher = Watcher()
    _ = try watch(device).run(&watcher)
    #expect(watcher.held == [KeySet(), KeySet([30])])
  }

  @Test("ends when the watcher has seen enough, with everything received that was there")
  func enough() throws {
    let device = try ShownDevice()
    device.send(frame(at: 1), frame(at: 2))
    var watcher = Watcher()
    watcher.whenWaiting = { _ in .end }
    let end = try watch(device).run(&watcher)
    #expect(end == .finished)
    #expect(watcher.received.count == 2)
  }

  @Test("reports the time again at the moment that the watcher names")
  func time() throws {
    let device = try ShownDevice()
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
    let device = try ShownDevice()
    var watcher = Watcher()
    var turn = 0
    watcher.whenWaiting = { _ in
      turn += 1
      // To this thread, which has them blocked.
      if turn == 1 { raise(SIGWINCH) }
      if turn == 2 {
        device.send(frame(at: 5))
        raise(SIGTERM)
      }
      return .wait(until: nil)
    }
    let end = try watch(device).run(&watcher)
    #expect(end == .stopped(SIGTERM))
    #expect(watcher.received.map(\.time) == [5])
  }

  @Test("ends as by SIGHUP when a terminal is gone that is not the process's own")
  func terminalGone() throws {
    let device = try ShownDevice()
    let terminal = try PseudoTerminal()
    let nothing = open("/dev/null", O_RDWR)
    defer { close(nothing) }
    var watcher = Watcher()
    watcher.whenWaiting = { _ in
      dup2(nothing, terminal.person)
      return .wait(until: nil)
    }
    let screen = LiveScreen(input: terminal.program, output: TextOutput(terminal.program))
    let end = try DeviceWatch([device.stream], on: screen).run(&watcher)
    #expect(end == .stopped(SIGHUP))
  }

  private func watch(_ devices: ShownDevice...) -> DeviceWatch {
    var watch = DeviceWatch(devices.map { $0.stream })
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
    if case .raw(let frame) = entry { received.append((device, frame.time - WatchedStream.start)) }
    if case .lost(_, let held, _) = entry { self.held.append(held) }
  }

  mutating func advance(
    to now: Microseconds, on screen: inout LiveScreen
  ) -> DeviceWatch.Next { whenWaiting(now) }
}

/// A device that a daemon shows, which the test plays.
private struct ShownDevice {
  let stream: DaemonStream
  private let daemon: CInt

  init() throws {
    let (client, daemon) = WatchedStream.ends()
    self.daemon = daemon
    sendAll(WatchedStream.head(), to: daemon)
    stream = try DaemonStream("/dev/input/event3", client)
  }

  func send(_ bytes: [UInt8]...) {
    for bytes in bytes { sendAll(bytes, to: daemon) }
  }

  func unplug() { close(daemon) }
}

/// A frame of a key, so long after the start.
private func frame(at time: Microseconds) -> [UInt8] {
  WatchedStream.text {
    $0.append(raw: Frame(time: WatchedStream.start + time, [.key(30, down: true)]))
  }
}
