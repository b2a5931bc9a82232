import Foundation

/// A program that runs tests, and what it prints.
struct TestProcess {
  private let id: pid_t
  private let output: CInt

  init(_ program: String, _ arguments: [String], environment: [String]) throws {
    // A pipe that no other program inherits which is begun at this moment.
    var ends: [CInt] = [-1, -1]
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw Failure(description: "no pipe: \(String(cString: strerror(errno)))")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
    let inherited = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
      .filter { !$0.hasPrefix("KEYDEBOUNCE_") }
    let argv = ([program] + arguments).map { strdup($0) } + [nil]
    let envp = (environment + inherited).map { strdup($0) } + [nil]
    defer { (argv + envp).forEach { free($0) } }
    var id: pid_t = 0
    let error = posix_spawn(&id, program, &actions, nil, argv, envp)
    close(ends[1])
    guard error == 0 else {
      close(ends[0])
      throw Failure(description: "\(program): \(String(cString: strerror(error)))")
    }
    self.id = id
    output = ends[0]
  }

  /// What it has printed; nothing if it printed nothing for so long; `nil` when it prints no more.
  func read(milliseconds: CInt) -> String? {
    var waited = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    guard poll(&waited, 1, milliseconds) > 0 else { return "" }
    let bytes = [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
      count = max(0, Glibc.read(output, buffer.baseAddress, buffer.count))
    }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// How long it has run so far, in seconds of the processor.
  var seconds: Double {
    let ticks = fields(of: "/proc/\(id)/stat").dropFirst(11).prefix(2).compactMap { Double($0) }
    return ticks.reduce(0, +) / Double(sysconf(CInt(_SC_CLK_TCK)))
  }

  /// Whether any of its threads runs, or would if it could.
  var isRunnable: Bool {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/task")) ?? []
    return threads.contains {
      ["R", "D"].contains(fields(of: "/proc/\(id)/task/\($0)/stat").first)
    }
  }

  /// The fields after the name, from the state on.
  private func fields(of file: String) -> [Substring] {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8),
      let name = text.lastIndex(of: ")")
    else { return [] }
    return text[text.index(after: name)...].split(separator: " ")
  }

  /// Waits until it has ended.
  ///
  /// - Parameter kill: Whether to end it first.
  /// - Returns: Its status as of `wait4`, and how long it ran, in seconds of the processor.
  func end(kill ends: Bool) -> (status: CInt, seconds: Double) {
    if ends { kill(id, SIGKILL) }
    var (status, usage) = (CInt(0), rusage())
    while wait4(id, &status, 0, &usage) < 0, errno == EINTR {}
    close(output)
    let seconds = [usage.ru_utime, usage.ru_stime].map {
      Double($0.tv_sec) + Double($0.tv_usec) / 1e6
    }
    return (status, seconds.reduce(0, +))
  }

  /// Keeps those that a mutant sends astray from taking all memory, and from leaving cores behind.
  static func limit() {
    var memory = rlimit(rlim_cur: 4 << 30, rlim_max: 4 << 30)
    setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &memory)
    var core = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
  }
}
