import Debounce

@testable import Service

/// Every state that a lifecycle can come to from the start, whatever happens in whatever order, and what follows from what.
///
/// Times are made relative to the moment, and forgotten once nothing depends on them: thereby the states are finite in number.
struct LifecycleGraph {
  /// One thing that happens in a state: an edge of the graph.
  struct Edge: Equatable {
    let from: String
    let happening: String
    let to: String
    let actions: [Lifecycle.Action]
  }

  /// The edges between the states' cases, by what they begin with.
  private(set) var edges: [String: [Edge]] = [:]
  /// How many states there are, with all that they carry, and how many things happen in them.
  private(set) var (nodes, steps) = (0, 0)
  /// The first thing that was wrong, and where.
  private(set) var violation: String?

  private let mutant: LifecycleMutant?
  private var known: Set<Node> = []
  private var open: [Node] = []

  /// How much time passes where something happens before it is due.
  private static let step: Microseconds = 200_000
  /// How late a wake-up may come. All times are multiples of it, so that it leads to few more states.
  private static let lateness: Microseconds = 50_000
  fileprivate static let grabAfter: Microseconds = 700_000

  init(_ mutant: LifecycleMutant? = nil) {
    self.mutant = mutant
    for grabAfter in [nil, Self.grabAfter] {
      for isGrabbed in [false, true] {
        let lifecycle = Lifecycle(grabAfter: grabAfter, isGrabbed: isGrabbed, at: Instant(0))
        add(Node(subject: LifecycleSubject(lifecycle, mutant), isGrabbed: isGrabbed))
      }
    }
    while violation == nil, let node = open.popLast() { follow(node) }
    nodes = known.count
  }

  private mutating func add(_ node: Node) {
    guard known.insert(node).inserted else { return }
    if let fault = node.fault { return fail(fault, node, nil) }
    if !node.comesToRest { return fail("does not debounce again within 10 s", node, nil) }
    open.append(node)
  }

  /// Has everything happen in a state that can.
  private mutating func follow(_ node: Node) {
    var happenings: [Happening] = [
      .cloneAnnounced, .udevIsBusy, .storeIsFull, .keysAreUp, .keysAreUpForNow,
      .sourceClosedByOther, .leave, .stay, .letGo, .unplugged, .cloneFailed, .cloneIsElsewhere,
      .grabAfter(node.subject.lifecycle.grabAfter == nil ? Self.grabAfter : nil),
    ]
    // A wake-up for another device; when it is due, see below.
    if node.subject.deadline > Instant(0) { happenings.append(.timePassed) }
    // Two programs are as good as many.
    if node.readers < 2 { happenings.append(.cloneOpened) }
    if node.readers > 0 { happenings.append(.cloneClosed) }
    for happening in happenings {
      // Named by its case, without the values that the case carries.
      take(happening, in: node, as: String("\(happening)".prefix { $0 != "(" }))
    }

    let deadline = node.subject.deadline
    if deadline > Instant(Self.step) { add(node.after(Self.step)) }
    guard deadline < .never else { return }
    let due = node.after(max(0, deadline - Instant(0)))
    if let fault = due.fault { return fail(fault, due, .timePassed) }
    take(.timePassed, in: due, as: "deadline", wakeUps: 1)
    if deadline > Instant(0) {
      take(.timePassed, in: due.after(Self.lateness), as: "deadline", wakeUps: 1)
    }
    if due.subject.lifecycle.awaitsClone { take(.udevIsBusy, in: due, as: "udevIsBusy") }
  }

  private mutating func take(
    _ happening: Happening, in before: Node, as name: @autoclosure () -> String, wakeUps: Int = 0
  ) {
    guard violation == nil else { return }
    steps += 1
    var after = before
    let actions = after.subject.receive(happening, at: Instant(0))
    after.note(happening, actions)
    // A mutant's is not drawn, and names take most of the time.
    if mutant == nil {
      let edge = Edge(from: before.name, happening: name(), to: after.name, actions: actions)
      let place = edge.from + edge.happening
      if edges[place]?.contains(edge) != true { edges[place, default: []].append(edge) }
    }
    if let fault = Node.fault(of: happening, from: before, to: after, actions) {
      return fail(fault, before, happening)
    }
    if case .grab? = actions.last {
      let outcomes: [Lifecycle.GrabOutcome] = [.grabbed, .keyIsDown, .busy, .unplugged, .failed]
      for outcome in outcomes {
        var tried = after
        tried.isGrabbed = outcome == .grabbed
        take(.grabEnded(outcome), in: tried, as: "grab: \(outcome)", wakeUps: wakeUps)
      }
      return
    }
    // A deadline that has passed is done with, at once or after another call.
    guard wakeUps > 0, after.subject.deadline <= Instant(0), !after.subject.hasEnded(at: Instant(0))
    else { return add(after) }
    guard wakeUps < 4 else { return fail("goes on waking up", after, happening) }
    take(.timePassed, in: after, as: "deadline", wakeUps: wakeUps + 1)
  }

  private mutating func fail(_ fault: String, _ node: Node, _ happening: Happening?) {
    guard violation == nil else { return }
    let cause = happening.map { "\($0)" } ?? "nothing"
    violation = "\(fault): \(cause) in \(node.subject.lifecycle.state), \(node)"
  }
}

// MARK: - A state, and what surrounds it

extension LifecycleGraph {
  /// A lifecycle and what its owner has done for it. The moment is always 0.
  struct Node: Hashable {
    var subject: LifecycleSubject
    var isGrabbed: Bool
    var readers = 0
    var cloneWorks = true
    /// Whether udev has announced the clone, or was waited for in vain.
    var isAnnounced = false
    /// When the device was last found busy, and when its keys were last released.
    var lastBusy = Instant.longAgo
    var lastRelease = Instant.longAgo
    /// Whether something has happened since then that is reason enough for another try.
    var mayTry = true
    /// Whether another program is known to hold the device.
    var isBusy = false
    /// Since when a key has been down at each try to grab the device, at the earliest.
    var keyDownSince: Instant?
  }
}

extension LifecycleGraph.Node {
  /// The state's case.
  var name: String {
    switch subject.lifecycle.state {
    case .awaitingClone: "awaitingClone"
    case .awaitingReaders: "awaitingReaders"
    case .keeping: "keeping"
    case .awaitingKeys: "awaitingKeys"
    case .busy: "busy"
    case .forwarding: "forwarding"
    case .leaving: "leaving"
    case .closed: "closed"
    }
  }

  /// The same after some time in which nothing happens.
  func after(_ time: Microseconds) -> Self {
    var later = self
    later.subject.lifecycle.state = later.subject.lifecycle.state.after(time)
    later.lastBusy = lastBusy.after(time)
    if later.lastBusy.after(-Lifecycle.Pause.busy.lowerBound) <= Instant(0) {
      later.lastBusy = .longAgo
    }
    later.lastRelease = lastRelease.after(time)
    if later.lastRelease.after(-Lifecycle.Pause.closing) <= Instant(0) {
      later.lastRelease = .longAgo
    }
    if let since = keyDownSince?.after(time) {
      later.keyDownSince = since.after(-LifecycleGraph.grabAfter) <= Instant(0) ? .longAgo : since
    }
    return later
  }

  /// Carries out what the lifecycle answers, but for a grab.
  mutating func note(_ happening: Happening, _ actions: [Lifecycle.Action]) {
    switch happening {
    case .cloneOpened: readers += 1
    case .cloneClosed: readers -= 1
    case .cloneFailed: cloneWorks = false
    case .cloneAnnounced: isAnnounced = true
    case .sourceClosedByOther, .keysAreUp: mayTry = true
    case .grabEnded(.busy):
      (lastBusy, mayTry, isBusy, keyDownSince) = (Instant(0), false, true, nil)
    case .grabEnded(.keyIsDown): keyDownSince = keyDownSince ?? Instant(0)
    case .keysAreUpForNow where keyDownSince != nil: keyDownSince = Instant(0)
    default: break
    }
    if subject.lifecycle.forwards || subject.lifecycle.isClosed {
      (isBusy, keyDownSince) = (false, nil)
    }
    for action in actions {
      if action == .report(.cloneNotAnnounced) { isAnnounced = true }
      if action == .releaseKeysAndUngrab { lastRelease = Instant(0) }
      if action == .releaseKeysAndUngrab || action == .ungrab { isGrabbed = false }
    }
  }

  // MARK: - What holds

  /// What is wrong in the state itself.
  var fault: String? {
    let lifecycle = subject.lifecycle
    if isGrabbed != (lifecycle.forwards || lifecycle.keeps) { return "grabbed is not what it says" }
    if isGrabbed, !cloneWorks { return "grabbed without a clone" }
    if subject.hasEnded(at: Instant(0)), lastRelease.after(-Lifecycle.Pause.closing) > Instant(0) {
      return "the clone does not outlive its last events"
    }
    let latest: Instant =
      switch lifecycle.state {
      case .keeping: Instant(Lifecycle.Pause.keeping)
      case .leaving: Instant(Lifecycle.Pause.leaving)
      case .busy: Instant(Lifecycle.Pause.busy.upperBound)
      case .closed(let until): until
      default: .never
      }
    if subject.deadline > latest { return "its deadline is too late" }
    if subject.deadline < Instant(-1), !subject.hasEnded(at: Instant(0)), !lifecycle.awaitsKeys {
      return "its deadline lies in the past"
    }
    return nil
  }

  /// What is wrong with what follows from a happening.
  static func fault(
    of happening: Happening, from before: Self, to after: Self, _ actions: [Lifecycle.Action]
  ) -> String? {
    let (old, new) = (before.subject.lifecycle, after.subject.lifecycle)
    let frees = actions.count { $0 == .ungrab || $0 == .releaseKeysAndUngrab }
    let grabs = actions.contains {
      if case .grab = $0 { true } else { false }
    }
    if old.isClosed, !new.isClosed { return "what is closed does not stay so" }
    if old.isClosed, !actions.isEmpty { return "what is closed asks for something" }
    if frees > (before.isGrabbed ? 1 : 0) { return "gives back what is not grabbed" }
    if before.isGrabbed, !after.isGrabbed, frees == 0 { return "gives nothing back" }
    if new.forwards != after.isGrabbed, !new.keeps { return "grabbed is not what it says" }
    switch happening {
    case .unplugged, .letGo, .cloneFailed, .cloneIsElsewhere:
      if after.isGrabbed || !new.isClosed { return "is not free at once" }
    case .leave:
      if after.isGrabbed, !new.isLeaving { return "does not leave" }
    default: break
    }
    if actions.contains(.ungrab), old.forwards, happening != .cloneFailed {
      return "a key is stuck"
    }
    if actions.contains(.releaseKeysAndUngrab), !before.cloneWorks { return "releases nothing" }
    if actions.contains(.grab(releasingKeys: true)) {
      guard let wait = old.grabAfter, let since = before.keyDownSince,
        since.after(-wait) <= Instant(0)
      else { return "releases keys unasked" }
    }
    if grabs, before.isGrabbed { return "grabs what is grabbed" }
    if grabs || new.forwards, !after.isAnnounced { return "nobody can have opened the clone" }
    if grabs, case .busy = old.state, !after.mayTry,
      before.lastBusy.after(-Lifecycle.Pause.busy.lowerBound) > Instant(0)
    {
      return "tries all the time"
    }
    let isFound = happening == .grabEnded(.busy) && !before.isBusy
    if actions.contains(.report(.busy)) != isFound { return "does not report once what is busy" }
    if case (.keeping(let end, _), .keeping(let later, _)) = (old.state, new.state), end != later {
      return "keeps on"
    }
    if old.isLeaving, !new.isClosed, new.state != old.state,
      happening != .stay || new.state != .forwarding
    {
      return "leaves later than it was asked to"
    }
    let begins = new.state == .forwarding && !old.forwards
    if actions.contains(.report(.forwarding)) != begins { return "does not report what it does" }
    return nil
  }

  /// Whether the device is debounced soon if nothing stands in the way, or is done with.
  var comesToRest: Bool {
    var node = self
    var elapsed: Microseconds = 0
    func receive(_ happening: Happening) {
      let actions = node.subject.receive(happening, at: Instant(0))
      node.note(happening, actions)
      guard case .grab? = actions.last else { return }
      node.isGrabbed = true
      node.note(.grabEnded(.grabbed), node.subject.receive(.grabEnded(.grabbed), at: Instant(0)))
    }
    receive(.stay)
    for _ in 0..<20 {
      if node.subject.lifecycle.awaitsKeys { receive(.keysAreUp) }
      if node.subject.lifecycle.state == .forwarding { return node.isGrabbed }
      if node.subject.lifecycle.isClosed, node.subject.hasEnded(at: Instant(0)) { return true }
      let deadline = node.subject.deadline
      guard deadline < .never else { return false }
      let time = max(0, deadline - Instant(0))
      elapsed += time
      guard elapsed <= 10_000_000 else { return false }
      node = node.after(time)
      receive(.timePassed)
    }
    return false
  }
}

extension Instant {
  /// The same instant, as it is counted when some time has passed: 0 is the moment.
  fileprivate func after(_ time: Microseconds) -> Instant {
    self == .never || self == .longAgo
      ? self : Instant(max(microseconds - time, -5_000_000))
  }
}

extension Lifecycle.State {
  fileprivate func after(_ time: Microseconds) -> Lifecycle.State {
    switch self {
    case .awaitingClone(let until, let limit):
      .awaitingClone(until: until.after(time), limit: limit?.after(time))
    case .leaving(let until): .leaving(until: until.after(time))
    case .closed(let until): .closed(until: until.after(time))
    case .awaitingReaders(let start, let until, let settled):
      .awaitingReaders(
        since: start.after(time), until: until.after(time), settled: settled.after(time))
    case .keeping(let until, let settled):
      .keeping(until: until.after(time), settled: settled.after(time))
    case .awaitingKeys(let since, let isReported):
      .awaitingKeys(since: since.after(time), isReported: isReported)
    case .busy(let retryAt, let pause, let keyDownSince):
      .busy(retryAt: retryAt.after(time), pause: pause, keyDownSince: keyDownSince?.after(time))
    case .forwarding: .forwarding
    }
  }
}
