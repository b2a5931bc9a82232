import ArgumentParser
import Configuration
import Debounce
import EventDevices
import Recording
import Terminal

struct MonitorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor",
    abstract: "Show live what a device sends, beside what is passed on.",
    discussion: """
      A line for each key that goes down or up, with its gap (from the release before to the press) or its hold \
      (from the press to the release), and beside it what keydebounce makes of it: passed on at once, passed on \
      later, or removed, and as what. Ctrl-C ends it, with a summary on standard error.

      Nothing is grabbed. Of a device that the running daemon holds, root is shown what the daemon makes of it, which \
      goes on debouncing. Who is not root borrows the device: it works on meanwhile, but is not debounced, and is given \
      back in the end. Where another program has grabbed the device, \
      nothing of it comes here: if the daemon wants it, too, monitor names the programs that have it open, and what to \
      do. The keys that are typed are shown, passwords too.
      """)

  @Argument(
    help: ArgumentHelp(
      "The device; without it, the one that would be taken, or a choice of those.",
      discussion: NamedDevices.help, valueName: "device"),
    completion: NamedDevices.completion)
  var device: String?

  @OptionGroup var configuration: ConfigurationOption

  @Option(
    help: ArgumentHelp(
      "Show a recording instead of a device; “-” for standard input.", valueName: "file"),
    completion: .file())
  var from: String?

  @OptionGroup var plain: PlainOption

  @Flag(help: "Show non-key events, too: the motion of a mouse, LEDs.")
  var all = false

  func validate() throws {
    if device != nil, from != nil {
      throw ValidationError("Name a device or a recording, not both.")
    }
  }

  func run() throws {
    do {
      let settings = try configuration.load().settings
      if let from { return try show(recording: from, settings) }
      try watch(settings)
    } catch {
      throw ExitCode.reporting(error)
    }
  }

  private func watch(_ settings: Settings) throws {
    let node = try DeviceChooser(settings: settings).device(named: device)
    let match = try settings.device(for: DeviceDescription(node))
    let rules = match?.rules ?? settings.rules
    let start = monotonicNow()
    let stream = try DaemonStream.open(node.path)
    var watch: DeviceWatch
    var isLent = false
    if stream == nil {
      let source = try Source(path: node.path)
      let loan = try BorrowedDevice(node.path)
      isLent = loan.isLent
      begin(node, match)
      loan.reportState()
      watch = DeviceWatch(loan)
      watch.add(source)
    } else {
      begin(node, match)
      report("the daemon holds the device and debounces it; shown is what it does")
      watch = DeviceWatch()
    }
    if let stream { watch.add(stream) }

    let output = Terminal.standardOutput
    let sheet = Sheet(for: output, isPlain: plain.isPlain)
    let lines = MonitorLines(on: sheet, start: start, showsOthers: all)
    // A pager reads what is typed.
    watch.discardsInput = output.isTerminal
    let comparison =
      stream == nil ? EdgeComparison(rules) : EdgeComparison(deciding: rules.meanings)
    var session = try MonitorSession(comparison, lines, output)
    let end = try watch.run(&session)
    let isGone = if case .gone = end { true } else { false }
    if isGone {
      report(
        stream == nil
          ? "the device was unplugged"
          : "the daemon shows no more: the device was unplugged, lent or given back")
    }
    for line in session.comparison.tally.lines { report(line) }
    if isLent, !isGone { report("the device is the daemon's again") }
  }

  private func begin(_ node: DeviceNode, _ match: DeviceSettings?) {
    report("watching “\(node.title)” (\(node.path))")
    report("settings: \(match?.file.printable ?? "the defaults")")
    report("keys typed there are shown, passwords too; Ctrl-C ends it")
  }

  private func show(recording file: String, _ settings: Settings) throws {
    var reader = try InputFile(file).recording()
    var entry = try reader.next()
    let rules = try settings.rules(for: DeviceDescription(reader.device.identity))
    var view = MonitorRecording(
      rules, reader.habits, .standardOutput, isPlain: plain.isPlain, showsOthers: all)
    while let present = entry {
      try view.take(present)
      entry = try reader.next()
    }
    try view.finish()
    for note in reader.notes { report(note) }
    for line in view.tally.lines { report(line) }
  }
}
