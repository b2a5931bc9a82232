import Control
import Debounce
import EventDevices
import Glibc
import Recording
import SystemPackage
import TestMachine
import Testing

extension EndToEnd {
  @Suite("Watching what the daemon does")
  struct WatchTests {
    /// One who watches, on this side of the socket.
    fileprivate final class Watch {
      private let descriptor: FileDescriptor
      private var recording: RecordingReader
      private(set) var hasEnded = false

      var device: RecordedDevice { recording.device }

      init(_ descriptor: FileDescriptor) {
        self.descriptor = descriptor
        recording = RecordingReader(file: "watch") { buffer in
          guard waitUntilReadable(descriptor.rawValue) else {
            throw WaitedInVain(description: "nothing more is shown")
          }
          return try descriptor.read(into: buffer)
        }
      }

      deinit { try? descriptor.close() }

      /// Reads up to an entry for which `isLast` holds, or to the end.
      func entries(upTo isLast: (RecordingParser.Entry) -> Bool) throws -> [RecordingParser.Entry] {
        var entries: [RecordingParser.Entry] = []
        while let entry = try recording.next() {
          entries.append(entry)
          if isLast(entry) { return entries }
        }
        hasEnded = true
        return entries
      }

      func entriesUpToMark() throws -> [RecordingParser.Entry] {
        try entries {
          if case .clean(let frame) = $0 {
            frame.events.contains(.key(mark, down: false))
          } else {
            false
          }
        }
      }
    }

    @Test("shows what the device sends, what is decided of it, and what applications get")
    func all() throws {
      let desk = try Desk()
      try desk.application.move(42, down: true, on: desk.keyboard)
      let watch = try desk.watch()
      try desk.chatter(18)
      let received = try desk.application.framesUpToMark()
      let entries = try watch.entriesUpToMark()
      guard case .lost(lines: 0, let held, _) = entries.first else {
        Issue.record("it does not say which keys are down: \(entries)")
        return
      }
      #expect(held == KeySet([42]))
      #expect(watch.device.identity.name == "keydebounce test keyboard")
      #expect(watch.device.capabilities.codes[EventType.key]?.contains(18) == true)

      let raw = entries.compactMap { if case .raw(let frame) = $0 { frame } else { nil } }
      let clean = entries.compactMap { if case .clean(let frame) = $0 { frame } else { nil } }
      let edges = [true, false, true, false].map { Event.key(18, down: $0) }
      #expect(keyMoves(raw.filter { !$0.isMark }) == edges)
      #expect(clean.filter { !$0.isMark }.map(\.events) == received.map(\.events))

      // What was decided is what the engine decides of these frames.
      let outcomes = entries.compactMap {
        if case .outcome(let outcome) = $0 { outcome } else { nil }
      }
      var engine = Debouncer()
      engine.reportsOutcomes = true
      for frame in raw { engine.process(frame) }
      let decided = engine.outcomes.filter { $0.key == 18 }
      #expect(outcomes.filter { $0.key == 18 } == Array(decided))
      #expect(
        decided.contains { if case .withdrawn(.pressBounce, _) = $0.kind { true } else { false } })
    }

    @Test("ends when the device is given back or unplugged; several see the same")
    func ends() throws {
      var keyboard: UinputDevice? = try UinputDevice()
      for isUnplugged in [false, true] {
        let path = try #require(keyboard?.path)
        let daemon = try DaemonProcess(["--device", path])
        let application = try EventReader(path: daemon.waitForClone())
        let watches = try (0..<2).map { _ in Watch(try #require(try DaemonClient.watch(path))) }
        keyboard?.play(.edges(of: 18, at: 0, 1, 2, 150))
        try keyboard?.playMark()
        _ = try application.framesUpToMark()
        let seen = try watches.map { try $0.entriesUpToMark().dropFirst() }
        #expect(seen[0] == seen[1] && !seen[0].isEmpty)
        if isUnplugged { keyboard = nil } else { #expect(try daemon.end() == 0) }
        for watch in watches {
          let rest = try watch.entries { _ in false }
          #expect(watch.hasEnded)
          #expect(rest.contains { if case .closed = $0 { true } else { false } })
        }
        #expect(!daemon.log.contains("KEY_"))
      }
    }
  }
}

extension Desk {
  fileprivate func watch() throws -> EndToEnd.WatchTests.Watch {
    EndToEnd.WatchTests.Watch(try #require(try DaemonClient.watch(keyboard.path)))
  }

  /// A stroke with a bounce at its beginning, and the mark.
  fileprivate func chatter(_ key: KeyCode) throws {
    keyboard.play(.edges(of: key, at: 0, 1, 2, 150))
    try keyboard.playMark()
  }
}
