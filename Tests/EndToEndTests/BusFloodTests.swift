import Clibsystemd
import Bus
import Debounce
import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("A flood of calls over the bus")
  struct BusFloodTests {
    /// How many calls are made.
    private static let calls = isEndurance ? 20_000 : 2000
    /// How many edges are made beside large messages, at least.
    private static let edges = isEndurance ? 600 : 150
    /// Which of the clients there are that send large messages: two who may not, and one who asks for what everybody may.
    private static let shouters = isEndurance ? Array(0..<6) : [0, 3, 5]

    @Test("valid and not, loses no key and leaves none stuck")
    func flood() throws {
      let desk = try Desk(on: SystemBus())
      let (keyboard, _, application) = desk.all

      let quiet = try type(on: keyboard, readBy: application) { $0 < 20 }
      let flood = Flood(Self.calls, device: keyboard.path)
      let busy = try type(on: keyboard, readBy: application) { $0 < 60 || !flood.isDone }
      try flood.check()

      print(
        """
        \(busy.count) edges during \(Self.calls) calls: \
        median \(ratio(busy, quiet, at: 0.5)), 99 % \(ratio(busy, quiet, at: 0.99)) times as late \
        as without (\(quiet.count) edges)
        """)
      keyboard.send(30, down: true)
      keyboard.send(30, down: false)
      #expect(try DaemonClient().status().devices.map(\.state) == [.debounced])
      withExtendedLifetime(desk) {}
    }

    @Test("by eight clients: answers are made once a second, and keys come first")
    func clients() throws {
      let desk = try Desk(on: SystemBus())
      let (keyboard, _, application) = desk.all

      let quiet = try type(on: keyboard, readBy: application) { $0 < 20 }
      // They ask from the moment at which each is made.
      let start = monotonicNow()
      let crowd = try (0..<8).map { number in
        try Asker(as: [.nobody, .member, .root][number % 3], number < 4 ? "Status" : "Statistics")
      }
      let busy = try type(on: keyboard, readBy: application) { $0 < 100 }
      let answers = try crowd.map { try $0.stop() }
      let seconds = Int((monotonicNow() - start) / 1_000_000)
      print(
        """
        eight clients got \(answers.reduce(0) { $0 + $1.count }) answers in \(seconds) s: edges were \
        median \(ratio(busy, quiet, at: 0.5)), 99 % \(ratio(busy, quiet, at: 0.99)) times as late as without
        """)
      for answers in answers {
        #expect(answers.count > 0)
        #expect(
          answers.different <= seconds + 2, "\(answers.different) different ones in \(seconds) s")
      }
      withExtendedLifetime(desk) {}
    }

    @Test(
      "of large messages by several clients: keys are as early as where somebody else gets them, and memory stays"
    )
    func largeMessages() throws {
      let bus = try SystemBus()
      let (keyboard, daemon, application) = try Desk(on: bus).all

      // The machine has the same to do: the bus passes on as much, to polkit.
      let polkit = try PolkitAuthority(granting: false)
      let others = try Self.shouters.map { try Shouter($0, keyboard.path, to: polkit) }
      let usual = try type(on: keyboard, readBy: application) {
        $0 < Self.edges || !others.allSatisfy(\.isHeard)
      }
      for other in others { other.stop() }
      polkit.stop()
      let memory = try ProcessUse(of: daemon.processIdentifier).peak

      let crowd = try Self.shouters.map { try Shouter($0, keyboard.path) }
      let busy = try type(on: keyboard, readBy: application) {
        $0 < Self.edges || !crowd.allSatisfy(\.isHeard)
      }
      for client in crowd { client.stop() }
      let growth = try ProcessUse(of: daemon.processIdentifier).peak - memory
      print(
        """
        \(busy.count) edges beside \(crowd.map(\.count)) large messages: median \(ratio(busy, usual, at: 0.5)), \
        99 % \(ratio(busy, usual, at: 0.99)) times as late as beside \(others.map(\.count)) to polkit; \
        the daemon's memory grew by \(growth) KiB
        """)
      // What is usual there once in a thousand edges.
      let usually = usual.sorted()[usual.count - 1 - usual.count / 1000]
      let late = busy.count { $0 > usually }
      // Where nothing is different, seven are later than the latest there once in 128 runs.
      #expect(
        late <= max(busy.count / 100, 6),
        "\(late) of \(busy.count) edges were later than \(usually) µs")
      // One message of them has 8000.
      #expect(growth < 4000)
      #expect(try DaemonClient().status().devices.map(\.state) == [.debounced])
      withExtendedLifetime(bus) {}
    }

    @Test("by more clients of one user than calls may wait: root's call is not refused")
    func unknownClients() throws {
      let desk = try Desk(on: SystemBus())
      let crowd = try (0..<70).map { _ in try BusClient(as: .nobody) }
      let root = try BusClient(as: .root)
      // All of them wait when the daemon goes on, before the bus has said who any of them is.
      desk.daemon.signal(SIGSTOP)
      try desk.daemon.waitUntilStopped()
      for client in crowd { try client.begin("Pause", desk.keyboard.path, number: 0) }
      // The bus answers this after it has read those.
      try root.listen(for: BusNames.changed)
      try root.begin("Pause", desk.keyboard.path, number: 0)
      desk.daemon.signal(SIGCONT)
      try desk.daemon.waitForLine(containing: "paused: everything passes as it is")
      withExtendedLifetime(crowd) {}
    }

    /// Makes strokes for as long as `goesOn` says, and reads them.
    ///
    /// - Parameter goesOn: Is told how many edges there were.
    /// - Returns: How late each edge was read after it had been sent, in microseconds.
    private func type(
      on keyboard: UinputDevice, readBy application: EventReader, while goesOn: (Int) -> Bool
    ) throws -> [Int64] {
      var delays: [Int64] = []
      while goesOn(delays.count) {
        let key = KeyCode(30 + delays.count / 2 % 8)
        for down in [true, false] {
          let sent = monotonicNow()
          keyboard.send(key, down: down)
          let frames = try application.frames { $0.events.contains(.key(key, down: down)) }
          delays.append(monotonicNow() - sent)
          #expect(keyMoves(frames) == [.key(key, down: down)])
          // Neither a bounce nor a hold that one would be taken for.
          sleep(until: sent + 60_000)
        }
      }
      return delays
    }

    private func ratio(_ busy: [Int64], _ quiet: [Int64], at share: Double) -> String {
      func quantile(_ delays: [Int64]) -> Double {
        Double(delays.sorted()[Int(Double(delays.count - 1) * share)])
      }
      return String(format: "%.2f", quantile(busy) / quantile(quiet))
    }
  }
}

/// A client that asks as fast as it is answered.
private final class Asker: @unchecked Sendable {
  private let lock = NSLock()
  private var isAskedToStop = false
  private var result: Result<(count: Int, different: Int), any Error>?

  init(as user: BusClient.User, _ member: String) throws {
    nonisolated(unsafe) let client = try BusClient(as: user)
    Thread.detachNewThread { [self] in
      var (count, different, last) = (0, 0, String?.none)
      let result: Result<(count: Int, different: Int), any Error> = Result {
        while !lock.withLock({ isAskedToStop }) {
          let answer = try client.call(member)
          count += 1
          if answer != last { different += 1 }
          last = answer
        }
        return (count, different)
      }
      lock.withLock { self.result = result }
    }
  }

  /// Ends it.
  ///
  /// - Returns: How many answers it got, and how often one was another than the one before.
  func stop() throws -> (count: Int, different: Int) {
    lock.withLock { isAskedToStop = true }
    let end = monotonicNow() + patience
    while monotonicNow() < end {
      if let result = lock.withLock({ result }) { return try result.get() }
      sleep(until: monotonicNow() + 10_000)
    }
    throw WaitedInVain(description: "a client gets no answer")
  }
}

/// A client that sends messages of 8 MB, one after the other as they are answered, until it is stopped.
private final class Shouter: @unchecked Sendable {
  private let lock = NSLock()
  private var isStopped = false
  private var sent = 0
  private let ended = DispatchSemaphore(value: 0)

  /// - Parameter polkit: Who gets them, if not the daemon.
  init(_ number: Int, _ device: String, to polkit: PolkitAuthority? = nil) throws {
    // Some may not call what they call, one asks for what everybody may.
    let users: [BusClient.User] = [.nobody, .nobody, .nobody, .member, .member, .nobody]
    let member = ["Pause", "Pause", "Resume", "Reset", "Pause", "Status"][number]
    nonisolated(unsafe) let client = try BusClient(as: users[number])
    let isForPolkit = polkit != nil
    Thread.detachNewThread { [self] in
      let text = String(repeating: "x", count: 8_000_000)
      while !lock.withLock({ isStopped }) {
        client.shout(member, text, toPolkit: isForPolkit)
        lock.withLock { sent += 1 }
      }
      ended.signal()
    }
  }

  /// Whether it has had an answer; several, for endurance.
  var isHeard: Bool { lock.withLock { sent > (isEndurance ? 2 : 0) } }
  var count: Int { lock.withLock { sent } }

  func stop() {
    lock.withLock { isStopped = true }
    ended.wait()
  }
}

/// A client that calls what it likes as fast as it can, and does not wait for answers.
private final class Flood: @unchecked Sendable {
  private let lock = NSLock()
  private var state = (isDone: false, error: String?.none)

  init(_ count: Int, device: String) {
    Thread.detachNewThread { [self] in
      let error = Self.run(count, device)
      lock.withLock { state = (true, error) }
    }
  }

  var isDone: Bool { lock.withLock { state.isDone } }

  func check() throws {
    if let error = lock.withLock({ state.error }) { throw WaitedInVain(description: error) }
  }

  /// - Returns: What went wrong, if anything.
  private static func run(_ count: Int, _ device: String) -> String? {
    var bus: OpaquePointer?
    guard sd_bus_open_system(&bus) >= 0 else { return "there is no bus" }
    defer { sd_bus_flush_close_unref(bus) }
    for number in 0..<count {
      guard send(number, device, on: bus) else { return "call \(number) cannot be sent" }
      // The bus itself refuses calls where too many are not answered yet: then the daemon would have less to do.
      guard number % 1000 == 999 else { continue }
      if let error = waitForAnswers(device, on: bus) { return error }
    }
    return nil
  }

  /// Waits until a call is answered that is made after all others, and not refused because too many of them wait.
  private static func waitForAnswers(_ device: String, on bus: OpaquePointer?) -> String? {
    let end = monotonicNow() + patience * 5
    var result = -ENOBUFS
    while result == -ENOBUFS, monotonicNow() < end {
      let last = call(0, device, on: bus)
      var answer: OpaquePointer?
      result = sd_bus_call(bus, last, UInt64(patience) * 5, nil, &answer)
      sd_bus_message_unref(last)
      sd_bus_message_unref(answer)
      // Those that came before it are nobody's any more.
      while sd_bus_process(bus, nil) > 0 {}
    }
    return result < 0 ? "the last call was not answered: \(result)" : nil
  }

  private static func send(_ number: Int, _ device: String, on bus: OpaquePointer?) -> Bool {
    guard let call = call(number, device, on: bus) else { return false }
    defer { sd_bus_message_unref(call) }
    // Some do not even want an answer.
    sd_bus_message_set_expect_reply(call, number % 3 == 0 ? 0 : 1)
    while true {
      let result = sd_bus_send(bus, call, nil)
      guard result == -ENOBUFS else { return result >= 0 }
      sd_bus_flush(bus)
    }
  }

  /// A call of one kind or another, right or wrong.
  private static func call(
    _ number: Int, _ device: String, on bus: OpaquePointer?
  ) -> OpaquePointer? {
    let kinds: [(interface: String, member: String, strings: [String], number: UInt32?)] = [
      (BusNames.interface, "Status", [], nil),
      (BusNames.interface, "Borrow", ["/dev/input/event99"], 1),
      (BusNames.interface, "Borrow", [device], nil),
      (BusNames.interface, "Return", [device], nil),
      (BusNames.interface, "Return", [String(repeating: "x", count: 5000)], nil),
      (BusNames.interface, "NoSuchMethod", ["x", "y"], nil),
      ("no.such.Interface", "Status", [], nil),
      ("org.freedesktop.DBus.Introspectable", "Introspect", [], nil),
      ("org.freedesktop.DBus.Properties", "Get", ["a", "b"], nil),
      ("org.freedesktop.DBus.Properties", "GetAll", [BusNames.interface], nil),
    ]
    let kind = kinds[number % kinds.count]
    var call: OpaquePointer?
    sd_bus_message_new_method_call(
      bus, &call, BusNames.service, number % 100 == 99 ? "/elsewhere" : BusNames.object,
      kind.interface, kind.member)
    for text in kind.strings { sd_bus_message_append_basic(call, CChar(UInt8(ascii: "s")), text) }
    if let number = kind.number {
      withUnsafePointer(to: number) {
        _ = sd_bus_message_append_basic(call, CChar(UInt8(ascii: "u")), $0)
      }
    }
    return call
  }
}
