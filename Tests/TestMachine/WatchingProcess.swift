import EventDevices
import Foundation
import Glibc

/// A call of `keydebounce` that shows things until it is told to stop, on a terminal or not.
///
/// A shell that is started with it outlives it, as a person's does: the terminal can be looked at afterwards.
public final class WatchingProcess {
  /// What it has said on standard error; all of it after ``waitForEnd()``.
  public private(set) var errors = ""

  private let shell: pid_t
  private var process: pid_t = 0
  private var shown: [String] = []
  private let output: LineReader
  private let isOnTerminal: Bool
  private let messages: LineReader
  /// Descriptors that are ours to close.
  private var descriptors: [CInt]

  /// `POSIX_SPAWN_SETSID`, which Glibc hides from Swift.
  private static let newSession: Int16 = 0x80

  /// - Parameters:
  ///   - terminal: The terminal that it reads and writes; without one, it writes to a pipe.
  ///   - isAsking: Whether what it says goes to the terminal, too: only there it asks questions.
  ///   - program: The program, if not the one that is to be tested in the virtual machine.
  public init(
    _ arguments: [String], on terminal: PseudoTerminal? = nil, isAsking: Bool = false,
    program: String = DaemonProcess.program
  ) throws {
    var (shownPipe, messagePipe): ([CInt], [CInt]) = ([-1, -1], [-1, -1])
    guard pipe(&shownPipe) == 0, pipe(&messagePipe) == 0 else {
      throw WaitedInVain(description: "no pipe: \(String(cString: strerror(errno)))")
    }
    for descriptor in shownPipe + messagePipe { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    descriptors = [shownPipe[0], messagePipe[0]]
    output = LineReader(terminal?.person ?? shownPipe[0])
    isOnTerminal = terminal != nil
    messages = LineReader(messagePipe[0])

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // In a new session, the first terminal that a process opens becomes its controlling terminal.
    posix_spawn_file_actions_addopen(&actions, 0, terminal?.path ?? "/dev/null", O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, terminal == nil ? shownPipe[1] : 0, 1)
    posix_spawn_file_actions_adddup2(&actions, messagePipe[1], 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The tests' own shell may ignore Ctrl-C; that would be handed down.
    var interrupt = sigset_t()
    sigemptyset(&interrupt)
    sigaddset(&interrupt, SIGINT)
    posix_spawnattr_setsigdefault(&attributes, &interrupt)
    posix_spawnattr_setflags(&attributes, Self.newSession | Int16(POSIX_SPAWN_SETSIGDEF))

    // Ctrl-C is meant for the program, as where a shell has given it the terminal.
    let script =
      "trap : INT; \"$@\"\(isAsking ? " 2>&1" : ""); "
      + "echo \"ended with $?\" >&2; exec sleep 1000 >&- 2>&-"
    let call = ["/bin/sh", "-c", script, "sh", program] + arguments
    var words = call.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var shell: pid_t = 0
    let result = posix_spawn(&shell, "/bin/sh", &actions, &attributes, &words, environ)
    self.shell = shell
    close(shownPipe[1])
    close(messagePipe[1])
    guard result == 0 else { throw WaitedInVain(description: "cannot start a shell: \(result)") }
    process = try child()
  }

  deinit {
    kill(process, SIGKILL)
    kill(shell, SIGKILL)
    waitpid(shell, nil, 0)
    for descriptor in descriptors { close(descriptor) }
  }

  /// The process that the shell has started.
  private func child() throws -> pid_t {
    var child: pid_t?
    try wait(for: "the shell to start something", lookingEvery: 1000) {
      let children = try? String(
        contentsOfFile: "/proc/\(shell)/task/\(shell)/children", encoding: .utf8)
      child = children?.split(separator: " ").first.flatMap { pid_t($0) }
      return child != nil
    }
    return child ?? 0
  }

  /// Waits until lines with this text have been shown so many times.
  ///
  /// - Returns: All lines so far.
  @discardableResult
  public func waitForLine(containing text: String, times: Int = 1) throws -> [String] {
    while shown.count(where: { $0.contains(text) }) < times {
      guard let line = output.next() else {
        throw WaitedInVain(
          description: "“\(text)” was not shown, but: \(shown.joined(separator: "\n")), \(errors)")
      }
      shown.append(line)
    }
    return shown
  }

  /// Waits until it asks what ends so.
  public func waitForQuestion(endingIn text: String) throws {
    while let line = output.next(orUpTo: text) {
      shown.append(line)
      if line.hasSuffix(text) { return }
    }
    throw WaitedInVain(
      description: "“\(text)” was not asked, but: \(shown.joined(separator: "\n")), \(errors)")
  }

  /// What it has shown so far.
  public func shownSoFar() -> String {
    while let line = output.next(limit: 0) { shown.append(line) }
    return (shown + [output.unfinished]).joined(separator: "\n")
  }

  /// Waits until the terminal, which has this size, shows what is wanted, and returns all that it shows.
  @discardableResult
  public func waitForScreen(
    columns: Int, rows: Int, with what: String, until isShown: (String) -> Bool
  ) throws -> String {
    var text = ""
    try wait(for: "\(what), but this is shown:\n\(text)", lookingEvery: 20_000) {
      var screen = Emulator(columns: columns, rows: rows)
      screen.receive(shownSoFar()) { _ in 1 }
      text = screen.text
      return isShown(text)
    }
    return text
  }

  /// Reads no more of what it shows.
  public func closeOutput() {
    close(descriptors.removeFirst())
  }

  /// Sends it a signal.
  public func signal(_ signal: CInt) {
    kill(process, signal)
  }

  /// Waits until it has slept for so long without being woken.
  public func waitUntilAsleep(for length: Int64) throws {
    try wait(for: "a process that sleeps while there is nothing to do", lookingEvery: 0) {
      // A program waits as long as nobody reads the terminal on which it writes.
      if isOnTerminal { _ = shownSoFar() }
      return try RunningProcess(process).isAsleep(for: length)
    }
  }

  /// Waits until it has stopped, to be continued.
  public func waitUntilStopped() throws {
    try RunningProcess(process).waitUntilStopped()
  }

  /// Tells it to end, and returns its exit status; 128 and more for a signal.
  public func end(by signal: CInt = SIGTERM) throws -> CInt {
    self.signal(signal)
    return try waitForEnd()
  }

  /// Waits until it has ended, and returns its exit status; 128 and more for a signal.
  public func waitForEnd() throws -> CInt {
    let end = "ended with "
    let giveUp = monotonicNow() + patience
    while monotonicNow() < giveUp {
      // A program that writes to a terminal waits for ever if nobody reads it, and Ctrl-C does not wake it.
      if isOnTerminal { _ = shownSoFar() }
      guard let line = messages.next(limit: 10_000) else { continue }
      if line.hasPrefix(end) { return CInt(line.dropFirst(end.count)) ?? -1 }
      errors += line + "\n"
    }
    throw WaitedInVain(description: "the process does not end, but says: \(errors)")
  }
}
