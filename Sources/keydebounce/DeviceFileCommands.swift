import ArgumentParser
import Configuration
import Control
import DeviceFiles
import EventDevices
import Files
import Reports
import Status
import SystemPackage
import Terminal

struct TakeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "take",
    abstract: "Start debouncing a mouse, pedal or pad (writes a device file).",
    discussion: """
      keydebounce debounces keyboards by itself, and other devices only if a device file names them. This writes such a file \
      into \(ConfigurationPlaces.devicesFolder). It names the device and each of its buttons, with a strategy for its kind, and says why. The command \
      shows the file, checks it together with the rest of the configuration, and asks; with --yes, it does not ask. Then \
      it writes the file, and the service uses it at once.

        sudo keydebounce take "Optical Mouse"
        keydebounce take event4 --dry-run

      The first line of the file says who wrote it. A file without such a line is yours. If yours is about the device \
      already, the command writes nothing: it names the file and the line, and says what to write there.

      libinput debounces the buttons of mice, too. Take a mouse if it still doubles clicks or drops what you drag.
      """)

  @OptionGroup var options: DeviceFileOptions

  func run() throws {
    let chosen = try options.chosen { ListedDevice($0, by: $1).command == "take" }
    let files = try chosen.files(in: options.places)
    let plan = try files.planToTake(leftBecause: chosen.reasonToLeave(by: files.settings))
    try options.conclude(plan, about: chosen)
  }
}

struct LeaveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave",
    abstract: "Stop debouncing a device (writes a device file).",
    discussion: """
      The file goes into \(ConfigurationPlaces.devicesFolder) and says “ignore = true”. The command shows it, checks it, and asks; with --yes, it does \
      not ask. Then it writes the file, and the service uses it at once. It replaces a file that take wrote. If a file that you \
      wrote yourself is about the device already, the command names it, and says what to write there.
      """)

  @OptionGroup var options: DeviceFileOptions

  func run() throws {
    let chosen = try options.chosen { Selection.automatic.takes($0, by: $1) }
    try options.conclude(chosen.files(in: options.places).planToLeave(), about: chosen)
  }
}

struct ForgetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Delete the device file that take or leave wrote.",
    discussion: """
      The command shows the file, and asks; with --yes, it does not ask. Then it deletes the file, and the service reloads. It \
      touches no file that you wrote yourself. The device need not be plugged in: name a part of the name in its file, or \
      the path of the file; without either, you choose among the files that take and leave wrote.
      """)

  @OptionGroup var options: DeviceFileOptions

  func run() throws {
    guard let name = options.device else { return try forget(chosenFile()) }
    do {
      let chosen = try options.chosen { _, _ in false }
      try options.conclude(chosen.files(in: options.places).planToForget(), about: chosen)
    } catch let error as NamedDeviceError {
      if case .several = error { throw error }
      try forget(name)
    }
  }

  /// - Parameter name: The path of a file, or a part of the name of a device that need not be plugged in.
  private func forget(_ name: String) throws {
    guard let plan = try DeviceFiles.planToForget(named: name, in: options.places) else {
      throw nothingToForget(" about “\(name.printable)”")
    }
    try options.conclude(plan, about: nil)
  }

  /// The file that the person chooses among those that take and leave wrote.
  private func chosenFile() throws -> String {
    let files = try DeviceFiles.written(in: options.places)
    guard let first = files.first else { throw nothingToForget() }
    guard files.count > 1 else { return first }
    let column = files.column("", .left) { StyledText($0.printable) }
    guard let row = try NamedDevices.row(of: [column], files.count) else {
      throw CommandError(
        "take and leave have written several files; name one:"
          + files.map { "\n  \($0.printable)" }.joined())
    }
    return files[row]
  }

  private func nothingToForget(_ subject: String = "") -> CommandError {
    let folder = options.places.path.printable
    return CommandError(
      """
      take and leave have written no file\(subject) in \(folder)/\(ConfigurationPlaces.devicesFolder). What calibrate writes is in \
      \(folder)/\(ConfigurationPlaces.calibrationsFolder): delete such a file yourself, then run “sudo keydebounce reload”
      """)
  }
}

struct DeviceFileOptions: ParsableArguments {
  @Argument(
    help: .device("The device. Without it: a choice of those that fit."),
    completion: NamedDevices.completion)
  var device: String?

  @Flag(help: "Write or delete the file, and do not ask.")
  var yes = false

  @Flag(help: "Only show what would be written or deleted.")
  var dryRun = false

  @OptionGroup var plain: PlainOption

  @Option(
    help: ArgumentHelp(
      "The configuration folder, if not \(RunCommand.defaultFolder).",
      discussion: "The device file is in its folder \(ConfigurationPlaces.devicesFolder).",
      valueName: "dir"),
    completion: .directory)
  var config: String?

  var places: ConfigurationPlaces { .chosen(config) }

  func validate() throws {
    if yes, dryRun { throw ValidationError("Give --yes or --dry-run, not both.") }
    if yes, device == nil { throw ValidationError("With --yes, name the device.") }
  }

  /// - Parameter isCandidate: Which devices the person can choose from, by the present settings.
  /// - Throws: ``NamedDeviceError``.
  func chosen(
    orOneThat isCandidate: (DeviceNode, Settings) -> Bool
  ) throws -> ChosenDevice {
    let settings = try LoadedSettings(readingFrom: places).settings
    let node = try NamedDevices.chosen(device) { isCandidate($0, settings) }
    let all = try NamedDevices.all()
    // A person who names a clone means the device behind it.
    let source = node.isClone ? all.first { !$0.isClone && node.isClone(of: $0) } ?? node : node
    return ChosenDevice(
      node: source, others: all.filter { $0.path != source.path && !$0.isClone })
  }

  /// - Parameter chosen: The device; `nil` if it is not plugged in.
  func conclude(_ plan: DeviceFilePlan, about chosen: ChosenDevice?) throws {
    try DeviceFileConclusion(
      plan: plan, chosen: chosen, isAgreed: yes, isDryRun: dryRun, sheet: plain.sheet
    ).run()
  }
}

/// The device that `take`, `leave` or `forget` is about, and those that are plugged in beside it.
struct ChosenDevice {
  let node: DeviceNode
  let others: [DeviceNode]

  func files(in places: ConfigurationPlaces) throws -> DeviceFiles {
    try DeviceFiles(
      about: DeviceDescription(node), beside: others.map(DeviceDescription.init), in: places)
  }

  /// Why it is left alone by these settings; `nil` if it is taken.
  func reasonToLeave(by settings: Settings) -> String? {
    Selection.automatic.decide(on: node, by: settings).reasonToLeave
  }
}

// MARK: - The file

/// Shows a plan for a device file, carries it out if the person agrees, and has the service use it.
struct DeviceFileConclusion {
  let plan: DeviceFilePlan
  /// The device; `nil` if it is not plugged in.
  let chosen: ChosenDevice?
  /// Whether to go on without asking, and the option that says so.
  var isAgreed = false
  var agreement = "--yes"
  var isDryRun = false
  let sheet: Sheet

  // The ways to the person and to the service. Tests put their own in place.
  var show: (String) throws -> Void = { try TextOutput.standard.write($0) }
  var say: (String) -> Void = { report($0) }
  /// Asks the person, who may give no answer; `nil` where nobody can be asked.
  var ask: ((String) throws -> String?)? = TextOutput.canAsk ? { try TextOutput.ask($0) } : nil
  var adopt: (DeviceFileChange) throws -> Void = { try $0.adopt() }

  func run() throws {
    switch plan {
    case .nothing(let reason): say(reason)
    case .change(let change): try carryOut(change)
    }
  }

  private func carryOut(_ change: DeviceFileChange) throws {
    try show(change.differenceLines(on: sheet).map { $0 + "\n" }.joined())
    try foretell(change, change.settings())
    let path = change.path.printable
    let isDeletion = change.purpose == nil
    let nothing = "nothing was \(isDeletion ? "deleted" : "written")"
    guard !isDryRun else { return say(nothing) }
    if !isAgreed {
      guard let ask else {
        return say("\(nothing); \(agreement) \(isDeletion ? "deletes" : "writes") \(path)")
      }
      try change.checkAccess()
      let answer = try ask("\(isDeletion ? "Delete" : "Write") \(path)? [y/N] ")
      guard ["y", "yes"].contains(answer) else { return say(nothing) }
    }
    try change.make()
    say("\(isDeletion ? "deleted" : "written"): \(path)")
    try adopt(change)
  }

  /// Says what will become of the device, and which others the file is about.
  ///
  /// - Throws: ``DeviceFileError`` if the file would be in vain.
  private func foretell(_ change: DeviceFileChange, _ settings: Settings) throws {
    guard let chosen else { return }
    let title = chosen.node.identity.title
    if let reason = chosen.reasonToLeave(by: settings) {
      guard change.purpose != .take else {
        throw DeviceFileError(
          "“\(title)” would be left alone all the same (\(reason.printable)): nothing was written")
      }
      say("keydebounce then leaves “\(title)” (\(chosen.node.path)) alone: \(reason.printable)")
    } else {
      say("keydebounce then debounces “\(title)” (\(chosen.node.path))")
    }
    let others = chosen.others.filter { other in
      (try? settings.device(for: DeviceDescription(other)))?.file == change.path
    }
    guard !others.isEmpty else { return }
    say("the file also applies to \(others.map(\.path).joined(separator: ", ")), of the same name")
  }
}

extension DeviceFileChange {
  /// Makes the service reload its configuration, if one runs with this folder. A service that cannot be told is no error.
  fileprivate func adopt() throws {
    let problems: [String]
    do {
      var client = try DaemonClient(toCall: .status)
      let path = try client.status().configuration.path
      guard resolvedPath(path) == resolvedPath(places.path) else {
        return report(
          "the service reads \(path.printable), not \(places.path.printable): nothing changes for it"
        )
      }
      problems = try client.reload()
    } catch {
      return report(whatIsKnown(after: error))
    }
    try ReloadCommand.check(problems)
    report("the service \(purpose == nil ? "no longer uses it" : "uses it from now on")")
  }

  /// The message after an attempt to tell the service has failed.
  func whatIsKnown(after error: ControlError) -> String {
    guard error != .notRunning else {
      return """
        the service does not run; the next one that reads \(places.path.printable) starts \
        \(purpose == nil ? "without" : "with") the file
        """
    }
    // A service that is late may have been told.
    let ignorance = error == .unreachable(.timedOut) ? "may not know it yet" : "was not told"
    return """
      the service \(ignorance) (\(error)). If it runs and reads \(places.path.printable), “sudo keydebounce reload” tells it
      """
  }
}
