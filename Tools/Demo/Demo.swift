import Debounce
import EventDevices
import Foundation
import Glibc
import Recording
import TestMachine

/// Shows on a real kernel what keydebounce does: a keyboard that chatters, and what applications receive.
///
/// Runs in the tests' virtual machine: `make demo`.
@main
struct Demo {
  static func main() throws {
    let hypervisor = try Hypervisor()
    try BuiltInKeyboard.detach()
    // A machine that is busy with other things may stretch a bounce beyond what anyone would call one. Then the
    // daemon is right to pass it on, and the demonstration shows nothing.
    for _ in 0..<3 {
      let run = try Run(hypervisor)
      try run.show()
      if run.received == Sentence.text { return }
      print("  This machine was busy, and some bounces came out as slow as fingers. Again:")
    }
    print("  The machine is too busy to show anything. Try again later.")
    exit(1)
  }
}

/// One sentence typed on a keyboard that is plugged in for it.
final class Run {
  private(set) var received = ""
  private var sent = ""

  private let hypervisor: Hypervisor
  private let daemon: DaemonProcess
  private let application: EventReader
  private let recording: LineReader
  private var parser = RecordingParser()
  private let screen = Screen()

  /// Which keys are down, and since when, as the keyboard sends it and as applications receive it.
  private var raw: [KeyCode: (isDown: Bool, since: Microseconds)] = [:]
  private var clean: [KeyCode: Bool] = [:]
  /// The edge that the keyboard sent last, until it is drawn.
  private var last: Moment?

  init(_ hypervisor: Hypervisor) throws {
    self.hypervisor = hypervisor
    // The recording goes through a pipe, so that it can be shown as it is made.
    let pipe = "/tmp/demo-\(UUID().uuidString)"
    guard mkfifo(pipe, 0o600) == 0 else { throw WaitedInVain(description: "cannot make a pipe") }
    defer { unlink(pipe) }
    let descriptor = open(pipe, O_RDWR | O_CLOEXEC)
    recording = LineReader(descriptor)
    daemon = try DaemonProcess(
      wrapper: [
        "/usr/bin/env", "KEYDEBOUNCE_LOG=debug", "/bin/sh", "-c", "exec \"$@\" 3>\"$0\"", pipe,
      ], recording: "/dev/fd/3")
    try daemon.waitForLine(containing: "waiting for one to be plugged in")
    try hypervisor.plugKeyboard("worn")
    application = try EventReader(path: daemon.waitForClone())
  }

  func show() throws {
    screen.drawHead()
    // Typing waits for the keyboard, and drawing for the recording: each in a thread of its own.
    nonisolated(unsafe) let hypervisor = hypervisor  // used by no one else meanwhile
    let typing = Thread {
      do { try Sentence.type(on: hypervisor) } catch { print("\(error)") }
    }
    typing.start()

    // The sentence is over when it has been typed and nothing has come since for half a second.
    var isTyping = true
    while true {
      guard let line = recording.next(limit: 500_000) else {
        drawLast()
        if !isTyping { break }
        isTyping = !typing.isFinished
        continue
      }
      switch try parser.read(line: line) {
      case .raw(let frame): try take(raw: frame)
      case .clean(let frame): try take(clean: frame)
      case .reset, .paused, .closed, .outcome, .lost, nil: break
      }
    }

    daemon.signal(SIGTERM)
    let counts = try daemon.waitForLine(containing: "presses passed on")
    guard try daemon.waitForEnd() == 0 else {
      throw WaitedInVain(description: "the daemon failed: \(daemon.log)")
    }
    screen.drawResult(
      sent: sent, received: received,
      counts: counts.split(separator: "): ", maxSplits: 1).last.map(String.init) ?? counts)
    try hypervisor.unplug("worn")
    try hypervisor.waitForRemoval(of: "worn")
  }

  private func take(raw frame: Frame) throws {
    for event in frame.events where event.type == EventType.key && event.value != 2 {
      drawLast()
      let isDown = event.value == 1
      last = Moment(
        key: event.code, isDown: isDown, time: frame.time,
        sinceLast: raw[event.code].map { frame.time - $0.since })
      raw[event.code] = (isDown, frame.time)
      if isDown { sent.append(Sentence.letters[event.code, default: "?"]) }
    }
  }

  private func take(clean frame: Frame) throws {
    for event in frame.events where event.type == EventType.key {
      // What is drawn is what an application read, and not what the daemon says that it wrote.
      guard try nextKey() == event else {
        throw WaitedInVain(description: "applications received something else")
      }
      let isDown = event.value == 1
      if isDown { received.append(Sentence.letters[event.code, default: "?"]) }
      if let edge = last, edge.key == event.code, edge.time == frame.time {
        screen.draw(edge, outcome: .passed)
        last = nil
        clean[event.code] = isDown
      } else {
        drawLast()
        clean[event.code] = isDown
        screen.drawLate(
          Moment(key: event.code, isDown: isDown, time: frame.time, sinceLast: nil))
      }
    }
  }

  /// Draws the last edge that the keyboard sent, of which applications have received nothing so far.
  private func drawLast() {
    guard let edge = last else { return }
    last = nil
    screen.draw(edge, outcome: edge.isDown == clean[edge.key, default: false] ? .removed : .waits)
  }

  /// The next key that an application reads, without repeats.
  private func nextKey() throws -> Event {
    while let frame = application.next() {
      if let key = frame.events.first(where: { $0.type == EventType.key && $0.value != 2 }) {
        return key
      }
    }
    throw WaitedInVain(description: "applications received nothing")
  }
}
