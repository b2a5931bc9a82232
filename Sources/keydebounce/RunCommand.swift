import ArgumentParser
import CLinux
import Configuration
import EventDevices
import Glibc
import Logging
import Service
import SystemPackage
import Terminal

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Debounce keyboards until stopped.",
    discussion: """
      Grabs every keyboard, now or when you plug it in, and makes a virtual device of the same name for each: its clone. \
      Programs read the clone, which sends what the keyboard sends, without the chatter. Ctrl-C or SIGTERM ends it: \
      it releases all keys, and the keyboards work as before. It ignores Ctrl-Z (SIGTSTP, SIGTTIN and SIGTTOU): stopped, it \
      would keep the keyboards and pass nothing on. If anything goes wrong, hold Backspace, Escape and Enter together on any \
      of them: that ends it, too.

      Must be able to read and write the keyboards and /dev/uinput, which usually takes root.
      """)

  @Option(
    name: .customLong("device"),
    help: ArgumentHelp(
      "Debounce only this device; may be given several times.",
      discussion: "An event node (/dev/input/eventN) or a link to one (/dev/input/by-id/…).",
      valueName: "path"), completion: NamedDevices.pathCompletion)
  var devices: [String] = []

  @Option(
    help: ArgumentHelp(
      "Read the configuration from here, at the start and at each reload (SIGHUP).",
      discussion: """
        A folder with keydebounce.toml and \(ConfigurationPlaces.devicesFolder)/*.toml, or one file. By default \(Self.defaultFolder), and the folders \
        of the same name in /run and /usr/lib. If there are none, the packaged defaults hold.
        """, valueName: "path"), completion: .file())
  var config: String?

  @Option(
    help: ArgumentHelp(
      "Store counts of strokes and of chatter in this folder.",
      discussion: "By default the folder that STATE_DIRECTORY names, if it is set.",
      valueName: "folder"), completion: .directory)
  var state: String?

  @Option(
    help: ArgumentHelp(
      "Record what devices send and what is passed on, passwords too.",
      discussion: """
        For bug reports and tests: an evemu recording, with what is passed on in comments. The first device is recorded to \
        FILE, others to FILE.2, FILE.3 and so on. No such file may exist yet, and nobody else can read it. To write into a pipe, \
        name its open end, such as /dev/stdout or /dev/fd/3.
        """, valueName: "file"), completion: .file())
  var record: String?

  /// Where the configuration is if nothing else is said.
  static let defaultFolder = "/etc/keydebounce"

  func run() throws {
    // Some supervisors start the daemon again however it has ended. The file tells the next one: see packaging/init/openrc.
    let endFile = getenv("KEYDEBOUNCE_ENDED").map { String(cString: $0) }
    if let endFile, access(endFile, F_OK) == 0 { throw ExitCode.panicChord }
    do {
      try start()
    } catch {
      let lasting: [ExitCode] = [.panicChord, .noPermission, .badConfiguration]
      if let endFile, lasting.contains(ExitCode(of: error)) {
        let file = open(endFile, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if file >= 0 { close(file) }
      }
      throw error
    }
  }

  private func start() throws {
    // A heap of some hundred KiB would take a page of two MiB where its addresses happen to allow one.
    clinux_forbid_huge_pages()
    TerminalLog.openOutput()
    defer { TerminalLog.finish() }
    LoggingSystem.bootstrap { _ in TerminalLog() }
    let log = Logger(label: "keydebounce")
    do {
      let daemon = try Daemon(
        selection: devices.isEmpty ? .automatic : .named(devices),
        configuration: .chosen(config),
        state: state ?? getenv("STATE_DIRECTORY").map { String(cString: $0) },
        recording: record, log: log)
      if let record {
        log.warning(
          "everything that is typed from now on is written to \(record), passwords too; delete it when you are done"
        )
      }
      if try daemon.run() == .panic { throw ExitCode.panicChord }
    } catch let code as ExitCode {
      throw code
    } catch let errors as ConfigurationErrors {
      guard !TextOutput.errors.isTerminal else { throw errors }
      // A log names no key, not even one that stands in the configuration.
      let log = log.about(.brokenFile)
      for problem in errors.problems { log.critical("\(problem.forLog)") }
      let check = "keydebounce check" + (config.map { " --config \($0)" } ?? "")
      log.critical("the configuration has errors, so no keyboard is touched. “\(check)” shows more")
      throw ExitCode.badConfiguration
    } catch {
      log.critical(
        error is Errno ? "cannot go on, and holds no keyboard any more: \(error)" : "\(error)")
      throw ExitCode(of: error)
    }
  }
}
