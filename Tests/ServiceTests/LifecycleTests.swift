import Debounce
import Testing

@testable import Service

@Suite("The lifecycle of a device")
struct LifecycleTests {
  private static let second: Microseconds = 1_000_000

  /// What each happening does in each state: the state after it, and the actions.
  ///
  /// States: `read` is `open` with a reader, `kept` is keeping, `keptOpen` and `keptRead` that with an announced clone;
  /// `busyKeys` is busy with a key down at the last try; `on` is forwarding, `end` closed. `=` is the same as
  /// before, with all that it carries. `due` is the deadline, `forced` the time at which `grabAfter` has passed, too.
  ///
  /// Actions: `g` grab, `G` grab releasing keys, `R` release keys and ungrab, `U` ungrab. Reports: `n` clone not
  /// announced, `w` waiting for keys, `k` grabbing with keys down, `b` busy, `f` forwarding, `u` unplugged, `x`
  /// cannot be grabbed, `c` counts.
  private static let table = """
    .            clone    open     read     kept     keptOpen keptRead keys     busy     busyKeys on       leaving  end
    announced    open     =        =        keptOpen =        =        =        =        =        =        =        =
    opened       =        read     read     =        keptRead keptRead =        =        =        =        =        =
    closed       =        =        open     =        =        keptOpen =        =        =        =        =        =
    full         =        =        =        clone,U  on,f     on,f     =        =        =        =        =        =
    early        =        =        =        =        =        =        =        =        =        =        =        =
    due          open,n   keys,g   keys,g   clone,U  on,f     on,f     keys,wg  =,g      =,g      =        end,Rc   =
    forced       open,n   keys,g   keys,g   clone,U  on,f     on,f     keys,kG  =,g      =,G      =        end,Rc   =
    keysAreUp    =        =        =        =        =        =        =,g      =        busy,g   =        end,Rc   =
    upForNow     =        =        =        =        =        =        keys     =        busyKeys =        =        =
    otherClosed  =        =        =        =        =        =        =        busy     busyKeys =        =        =
    grabbed      =,U      =,U      =,U      =        =        =        on,f     on,f     on,f     =        =        =,U
    keyIsDown    =        =        =        =        =        =        =        busyKeys busyKeys =        =        =
    busy         =        =        =        =        =        =        busy,b   busy     busy     =        =        =
    gone         =        =        =        =        =        =        end,u    end,u    end,u    =        =        =
    failed       =        =        =        =        =        =        end,x    end,x    end,x    =        =        =
    leave        end      end      end      end,U    leaving  leaving  end      end      end      leaving  =        =
    stay         =        =        =        =        =        =        =        =        =        =        on       =
    letGo        end      end      end      end,U    end,Rc   end,Rc   end      end      end      end,Rc   end,Rc   =
    unplugged    end,u    end,u    end,u    end,Uu   end,Ruc  end,Ruc  end,u    end,u    end,u    end,Ruc  end,Ruc  =
    cloneFailed  end      end      end      end,U    end,U    end,U    end      end      end      end,U    end,U    =
    elsewhere    end      end      end      end,U    end,U    end,U    end      end      end      end,Rc   end,Rc   =
    grabAfter    =        =        =        =        =        =        =        =        =        =        =        =
    """

  /// How each of the table's states is reached from the beginning, with the times; the last is `arrival`.
  private static let ways: [String: [(Instant, Happening)]] = {
    let open: [(Instant, Happening)] = [(start, .cloneAnnounced)]
    let read: [(Instant, Happening)] = [(arrival, .cloneOpened)]
    let keys = open + [(arrival, .timePassed)]
    let on = keys + [(arrival, .grabEnded(.grabbed))]
    let busy = keys + [(arrival, .grabEnded(.busy))]
    return [
      "clone": [], "open": open, "read": open + read, "kept": [], "keptOpen": open,
      "keptRead": open + read, "keys": keys + [(arrival, .grabEnded(.keyIsDown))], "busy": busy,
      "busyKeys": busy + [(arrival, .grabEnded(.keyIsDown))], "on": on,
      "leaving": on + [(arrival, .leave)],
      "end": on + [(arrival, .unplugged)],
    ]
  }()
  private static let start = Instant(0)
  private static let arrival = start + Lifecycle.Pause.readers

  /// The table's happenings. `due` and `forced` are about time, and depend on the state.
  private static let happenings: [String: Happening] = [
    "announced": .cloneAnnounced, "opened": .cloneOpened, "closed": .cloneClosed,
    "full": .storeIsFull, "early": .timePassed, "due": .timePassed, "forced": .timePassed,
    "keysAreUp": .keysAreUp, "upForNow": .keysAreUpForNow, "otherClosed": .sourceClosedByOther,
    "grabbed": .grabEnded(.grabbed), "keyIsDown": .grabEnded(.keyIsDown),
    "busy": .grabEnded(.busy), "gone": .grabEnded(.unplugged), "failed": .grabEnded(.failed),
    "leave": .leave, "stay": .stay, "letGo": .letGo, "unplugged": .unplugged,
    "cloneFailed": .cloneFailed,
    "elsewhere": .cloneIsElsewhere, "grabAfter": .grabAfter(7 * second),
  ]

  private static let actions: [Character: Lifecycle.Action] = [
    "g": .grab(releasingKeys: false), "G": .grab(releasingKeys: true), "R": .releaseKeysAndUngrab,
    "U": .ungrab, "n": .report(.cloneNotAnnounced), "w": .report(.awaitingKeys),
    "k": .report(.grabbingWithKeysDown), "b": .report(.busy), "f": .report(.forwarding),
    "u": .report(.unplugged),
    "x": .report(.cannotBeGrabbed), "c": .report(.counts),
  ]

  private func lifecycle(in state: String, grabAfter: Microseconds? = nil) throws -> Lifecycle {
    var lifecycle = Lifecycle(
      grabAfter: grabAfter, isGrabbed: state.hasPrefix("kept"), at: Self.start)
    for (time, happening) in try #require(Self.ways[state]) {
      _ = lifecycle.receive(happening, at: time)
    }
    #expect(lifecycle.column == state)
    #expect(lifecycle.isPreparing == ["clone", "open", "read"].contains(state), "\(state)")
    #expect(lifecycle.isLeaving == (state == "leaving"), "\(state)")
    #expect(lifecycle.isClosed == (state == "end"), "\(state)")
    #expect(lifecycle.hasEnded(at: .never) == (state == "end"), "\(state)")
    #expect(lifecycle.awaitsKeys == ["keys", "busyKeys", "leaving"].contains(state), "\(state)")
    return lifecycle
  }

  @Test("does in every state, whatever happens, what the table says")
  func everyStateAndHappening() throws {
    let rows = Self.table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    let states = rows[0].dropFirst()
    #expect(Set(states) == Set(Self.ways.keys), "a state is missing")
    #expect(Set(rows.dropFirst().map { $0[0] }) == Set(Self.happenings.keys))
    for row in rows.dropFirst() {
      let happening = try #require(Self.happenings[row[0]])
      #expect(row.count == states.count + 1, "\(row[0]) has an empty cell")
      for (state, cell) in zip(states, row.dropFirst()) {
        var lifecycle = try lifecycle(
          in: state, grabAfter: row[0] == "forced" ? Self.second : nil)
        let before = lifecycle.state
        let now =
          switch row[0] {
          case "early": lifecycle.deadline - 1
          case "due": lifecycle.deadline
          case "forced": max(Self.arrival + Self.second, lifecycle.deadline)
          default: Self.arrival
          }
        let actions = lifecycle.receive(happening, at: now)

        let expected = cell.split(separator: ",").map(String.init)
        let place: Comment = "\(row[0]) in \(state)"
        if expected[0] == "=" {
          #expect(lifecycle.state == before, place)
        } else {
          #expect(lifecycle.column == expected[0], place)
          #expect(!lifecycle.hasEnded(at: now), place)
        }
        let letters = expected.count > 1 ? expected[1] : ""
        #expect(actions == letters.compactMap { Self.actions[$0] }, place)
        #expect(actions.count == letters.count, place)
      }
    }
  }

  @Test("waits two seconds for udev, and on for a clone while udev has something to do")
  func busyUdev() {
    var lifecycle = Lifecycle(grabAfter: nil, at: Self.start)
    let end = Self.start + 2 * Self.second
    #expect(lifecycle.receive(.udevIsBusy, at: end - 1).isEmpty)
    #expect(lifecycle.deadline == end)
    #expect(lifecycle.receive(.udevIsBusy, at: end) == [.report(.udevIsBusy)])
    #expect(lifecycle.receive(.timePassed, at: end).isEmpty)
    #expect(lifecycle.awaitsClone && lifecycle.deadline == end + Self.second)
    #expect(
      lifecycle.receive(.timePassed, at: end + Self.second) == [.report(.cloneNotAnnounced)])
    #expect(!lifecycle.awaitsClone)
    let later = lifecycle
    #expect(lifecycle.receive(.udevIsBusy, at: lifecycle.deadline).isEmpty)
    #expect(lifecycle == later)
  }

  @Test(
    "waits as long again as it took udev and those who open the clone, and no longer than a second",
    arguments: [true, false])
  func slowReaders(keeping: Bool) {
    for (announced, opened, ready) in [
      (0, 100_000, 200_000), (0, 101_000, 202_000), (0, 450_000, 900_000),
      (300_000, 300_000, 600_000), (200_000, 350_000, 700_000),
    ] {
      var lifecycle = Lifecycle(grabAfter: nil, isGrabbed: keeping, at: Self.start)
      lifecycle.cloneAnnounced(at: Self.start + Microseconds(announced))
      lifecycle.cloneOpened(at: Self.start + Microseconds(opened))
      #expect(lifecycle.deadline == Self.start + Microseconds(ready))
      lifecycle.cloneOpened(at: Self.start + 900_000)
      let bound = keeping ? Self.second : Microseconds(announced) + Self.second
      #expect(lifecycle.deadline == Self.start + bound)
    }
  }

  @Test("waits for readers by how long the clone has been there, also after a busy udev")
  func slowReadersAfterBusyUdev() {
    var lifecycle = Lifecycle(grabAfter: nil, at: Self.start)
    _ = lifecycle.receive(.udevIsBusy, at: Self.start + 2 * Self.second)
    let announced = Self.start + 2_300_000
    lifecycle.cloneAnnounced(at: announced)
    // As long again would be more than the second that readers have.
    lifecycle.cloneOpened(at: announced)
    #expect(lifecycle.deadline == announced + Self.second)
  }

  @Test("waits no more than a minute for a busy udev, and then a second for who opens the clone")
  func endlesslyBusyUdev() {
    var lifecycle = Lifecycle(grabAfter: nil, at: Self.start)
    var actions: [Lifecycle.Action] = []
    while lifecycle.awaitsClone, lifecycle.deadline <= Self.start + 100 * Self.second {
      let now = lifecycle.deadline
      actions += lifecycle.receive(.udevIsBusy, at: now) + lifecycle.receive(.timePassed, at: now)
    }
    #expect(actions == [.report(.udevIsBusy), .report(.cloneNotAnnounced)])
    #expect(lifecycle.deadline == Self.start + (2 + 60 + 1) * Self.second)
  }

  @Test(
    "takes the clone for opened a tenth after the last change of who has it open",
    arguments: [true, false])
  func readers(keeping: Bool) {
    var lifecycle = Lifecycle(grabAfter: nil, isGrabbed: keeping, at: Self.start)
    let bound = Self.start + Self.second
    // udev looks at it, and a remapper keeps it.
    for happening: Happening in [.cloneOpened, .cloneOpened, .cloneClosed] {
      _ = lifecycle.receive(happening, at: Self.start)
    }
    #expect(lifecycle.deadline > Self.start + Self.second / 10)
    lifecycle.cloneAnnounced(at: Self.start)
    #expect(lifecycle.deadline == Self.start + Self.second / 10)
    lifecycle.cloneOpened(at: Self.start + 60_000)
    #expect(lifecycle.deadline == Self.start + 160_000)
    // One that only wanted to see what it is.
    lifecycle.cloneClosed(at: Self.start + 70_000)
    #expect(lifecycle.deadline == Self.start + 170_000)
    lifecycle.cloneClosed(at: Self.start + 80_000)
    #expect(lifecycle.deadline == bound)
    lifecycle.cloneClosed(at: Self.start + 80_000)
    lifecycle.cloneOpened(at: Self.start + 90_000)
    #expect(lifecycle.deadline == Self.start + 190_000)
    // Not for ever.
    lifecycle.cloneOpened(at: bound - 10)
    #expect(lifecycle.deadline == bound)
    let actions = lifecycle.timePassed(to: bound)
    #expect(actions == (keeping ? [.report(.forwarding)] : [.grab(releasingKeys: false)]))
  }

  @Test("keeps what is typed for a second in all, and then waits for the clone without")
  func keeping() {
    var lifecycle = Lifecycle(grabAfter: nil, isGrabbed: true, at: Self.start)
    #expect(lifecycle.deadline == Self.start + Self.second)
    let actions = lifecycle.timePassed(to: Self.start + Self.second)
    #expect(actions == [.ungrab])
    #expect(lifecycle.deadline == Self.start + 2 * Self.second)
    lifecycle = Lifecycle(grabAfter: nil, isGrabbed: true, at: Self.start)
    lifecycle.cloneAnnounced(at: Self.start + 900_000)
    #expect(lifecycle.deadline == Self.start + Self.second)
  }

  @Test("tries again as soon as a program has closed what was busy, however long the pauses are")
  func otherCloses() throws {
    var lifecycle = try lifecycle(in: "busy")
    for _ in 0..<8 { _ = lifecycle.grabEnded(.busy, at: lifecycle.deadline) }
    let now = lifecycle.deadline - 4 * Self.second
    lifecycle.sourceClosedByOther(at: now)
    #expect(lifecycle.deadline == now + 50_000)
    #expect(lifecycle.timePassed(to: now + 50_000) == [.grab(releasingKeys: false)])
    _ = lifecycle.grabEnded(.busy, at: now + 50_000)
    #expect(lifecycle.deadline == now + 50_000 + 400_000)
    // A try that is due sooner stays so.
    lifecycle.sourceClosedByOther(at: lifecycle.deadline - 10)
    #expect(lifecycle.deadline == now + 450_000)
  }

  @Test("reports once, after five seconds, that a key is down, and waits on without a deadline")
  func stuckKey() throws {
    var lifecycle = try lifecycle(in: "keys")
    #expect(lifecycle.deadline == Self.arrival + 5 * Self.second)
    _ = lifecycle.timePassed(to: lifecycle.deadline)
    let actions = lifecycle.grabEnded(.keyIsDown, at: Self.start + 6 * Self.second)
    #expect(actions == [])
    #expect(lifecycle.deadline == .never)
    #expect(lifecycle.awaitsKeys)
  }

  @Test("waits for keys anew if one goes down while it grabs, and takes a new `grabAfter` at once")
  func grabAfter() throws {
    var lifecycle = try lifecycle(in: "keys", grabAfter: 3 * Self.second)
    #expect(lifecycle.deadline == Self.arrival + 3 * Self.second)
    lifecycle.grabAfter = Self.second
    #expect(lifecycle.deadline == Self.arrival + Self.second)
    lifecycle.grabAfter = 60 * Self.second
    let late = Self.arrival + 60 * Self.second
    let actions = lifecycle.timePassed(to: late)
    #expect(actions == [.report(.grabbingWithKeysDown), .grab(releasingKeys: true)])
    #expect(lifecycle.grabEnded(.keyIsDown, at: late).isEmpty)
    #expect(lifecycle.deadline == late + Lifecycle.Pause.report)
    let reported = lifecycle.timePassed(to: lifecycle.deadline)
    #expect(reported == [.report(.awaitingKeys), .grab(releasingKeys: false)])
    #expect(lifecycle.deadline == late + 60 * Self.second)
  }

  @Test("tries a busy device again after pauses that double from 0.2 s to 5 s")
  func busy() throws {
    var lifecycle = try lifecycle(in: "busy")
    var pauses: [Microseconds] = []
    var now = Self.arrival
    for _ in 0..<7 {
      pauses.append(lifecycle.deadline - now)
      now = lifecycle.deadline
      let actions = lifecycle.timePassed(to: now)
      #expect(actions == [.grab(releasingKeys: false)])
      _ = lifecycle.grabEnded(.busy, at: now)
    }
    #expect(
      pauses == [200_000, 400_000, 800_000, 1_600_000, 3_200_000, 5_000_000, 5_000_000])
  }

  @Test("a key that is down at a try does not lengthen the pause; how long it is down counts")
  func busyWithKey() throws {
    var lifecycle = try lifecycle(in: "busyKeys", grabAfter: Self.second)
    var now = Self.arrival
    var tries: [Lifecycle.Action] = []
    while tries.last != .grab(releasingKeys: true) {
      #expect(lifecycle.deadline == now + 200_000)
      now = lifecycle.deadline
      tries += lifecycle.timePassed(to: now)
      _ = lifecycle.grabEnded(.keyIsDown, at: now)
    }
    #expect(now == Self.arrival + Self.second)
  }

  @Test("has a quarter of a second for keys to come up, and the clone 50 ms more for its readers")
  func ending() throws {
    var lifecycle = try lifecycle(in: "leaving")
    #expect(lifecycle.deadline == Self.arrival + 250_000)
    _ = lifecycle.timePassed(to: lifecycle.deadline)
    #expect(lifecycle.isClosed)
    #expect(lifecycle.deadline == Self.arrival + 300_000)
    #expect(!lifecycle.hasEnded(at: lifecycle.deadline - 1))
    #expect(lifecycle.hasEnded(at: lifecycle.deadline))
  }

  @Test("grabs with keys down only what has had one down all the time")
  func downAllTheTime() throws {
    for state in ["keys", "busyKeys"] {
      var lifecycle = try lifecycle(in: state, grabAfter: Self.second)
      let later = Self.arrival + Self.second / 2
      lifecycle.keysAreUpForNow(at: later)
      let early = lifecycle.timePassed(to: Self.arrival + Self.second)
      #expect(!early.contains(.grab(releasingKeys: true)), "\(state)")
      let due = lifecycle.timePassed(to: max(lifecycle.deadline, later + Self.second))
      #expect(due.contains(.grab(releasingKeys: true)), "\(state)")
    }
  }
}

extension Lifecycle {
  /// The state's column in the table.
  fileprivate var column: String {
    switch state {
    case .awaitingClone: "clone"
    case .awaitingReaders(_, _, .never): "open"
    case .awaitingReaders: "read"
    case .keeping where !isAnnounced: "kept"
    case .keeping(_, .never): "keptOpen"
    case .keeping: "keptRead"
    case .awaitingKeys: "keys"
    case .busy(_, _, .none): "busy"
    case .busy(_, _, .some): "busyKeys"
    case .forwarding: "on"
    case .leaving: "leaving"
    case .closed: "end"
    }
  }
}
