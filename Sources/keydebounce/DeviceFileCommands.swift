import ArgumentParser
import Calibration
import Configuration
import EventDevices
import Terminal

struct TakeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "take",
    abstract: "Write the device file that has a mouse, a pedal or a pad taken.",
    discussion: """
      Keyboards are taken without a file; other devices are when a file is about them. This writes one into devices.d: it \
      names the device and each of its buttons, with a strategy for its kind, and says why. The file is shown, checked \
      together with the rest of the configuration, written if you say yes or with --yes, and adopted by the service if \
      one runs.

        sudo keydebounce take "Optical Mouse"
        keydebounce take event4 --dry-run

      Its first line says who wrote it. Files without such a line are yours: if one is about the device already, this \
      names the file and the line, says what to write there, and writes nothing.

      libinput debounces the buttons of mice, too. Take a mouse where clicks are doubled or drags dropped all the same.
      """)

  @OptionGroup var options: DeviceFileOptions

  func run() throws {
    try options.reporting {
      let chosen = try ChosenDevice(named: options.device, by: options.settings()) {
        node, settings in
        !node.isClone && !Selection.automatic.takes(node, by: settings)
          && DeviceFiles.command(toTake: DeviceDescription(node), by: settings) == "take"
      }
      let files = try chosen.files(in: options.places)
      let plan = try files.planToTake(leftBecause: chosen.reasonToLeave(by: files.settings))
      try DeviceFileConclusion(plan, about: chosen, options).run()
    }
  }
}

struct LeaveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave",
    abstract: "Write the device file that has a device left alone.",
    discussion: """
      The file goes into devices.d and says “ignore = true”. It is shown, checked, written if you say yes or with \
      --yes, and adopted by the service if one runs. If a file that you wrote yourself is about the device already, this \
      names it and says what to write there. A file that take wrote is replaced.
      """)

  @OptionGroup var options: DeviceFileOptions

  func run() throws {
    try options.reporting {
      let chosen = try ChosenDevice(named: options.device, by: options.settings()) {
        node, settings in
        Selection.automatic.takes(node, by: settings)
      }
      let plan = try chosen.files(in: options.places).planToLeave()
      try DeviceFileConclusion(plan, about: chosen, options).run()
    }
  }
}

struct ForgetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Delete the device file that take or leave has written.",
    discussion: """
      It is shown, and deleted if you say yes or with --yes; then the service reloads if one runs. Files that you wrote \
      yourself are not touched. The device need not be plugged in: a part of the name in its file will do, or the path of the file.
      """)

  @OptionGroup var options: DeviceFileOptions

  func run() throws {
    try options.reporting {
      do {
        let chosen = try ChosenDevice(named: options.device, by: options.settings()) {
          node, settings in
          DeviceFiles.isWritten(about: DeviceDescription(node), by: settings)
        }
        let plan = try chosen.files(in: options.places).planToForget()
        try DeviceFileConclusion(plan, about: chosen, options).run()
      } catch NamedDeviceError.none(let name) {
        let plan = try DeviceFiles.planToForget(named: name, in: options.places)
        guard let plan else { throw NamedDeviceError.none(name: name) }
        try DeviceFileConclusion(plan, about: nil, options).run()
      }
    }
  }
}

/// What `take`, `leave` and `forget` are called with.
struct DeviceFileOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The device; without it, a choice of those to which this can apply.",
      discussion: NamedDevices.help, valueName: "device"),
    completion: NamedDevices.completion)
  var device: String?

  @Flag(help: "Write or delete the file without asking.")
  var yes = false

  @Flag(help: "Show what would be written or deleted, and do nothing.")
  var dryRun = false

  @OptionGroup var plain: PlainOption

  @Option(
    help: ArgumentHelp(
      "The configuration folder, if not \(RunCommand.defaultFolder).",
      discussion: "The file is in its folder devices.d.", valueName: "dir"),
    completion: .directory)
  var config: String?

  var places: ConfigurationPlaces { .writable(config) }

  func validate() throws {
    if yes, dryRun { throw ValidationError("Give --yes or --dry-run, not both.") }
    if yes, device == nil { throw ValidationError("With --yes, name the device.") }
  }

  /// The present settings.
  func settings() throws -> Settings { try LoadedSettings(readingFrom: places).settings }

  /// Runs a command, and reports what ends it.
  func reporting(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let code as ExitCode {
      throw code
    } catch {
      throw ExitCode.reporting(error)
    }
  }
}

extension ConfigurationPlaces {
  /// Those of `--config`, or the system's; in either, files can be written.
  static func writable(_ config: String?) -> ConfigurationPlaces {
    config.map { ConfigurationPlaces($0, mayBeMissing: true) } ?? .system
  }
}

/// The device that `take`, `leave` or `forget` is about, and those that are plugged in beside it.
struct ChosenDevice {
  let node: DeviceNode
  let others: [DeviceNode]

  init(_ node: DeviceNode, beside others: [DeviceNode]) {
    self.node = node
    self.others = others
  }

  /// - Parameters:
  ///   - name: What the person calls it; `nil` to let them choose.
  ///   - isCandidate: Which devices they can choose from.
  /// - Throws: ``NamedDeviceError``.
  init(
    named name: String?, by settings: Settings,
    orOneThat isCandidate: @escaping (DeviceNode, Settings) -> Bool
  ) throws {
    let node = try DeviceChooser(settings: settings).device(named: name) {
      isCandidate($0, settings)
    }
    let all = try NamedDevices.all()
    // Who names a clone means what it stands in for.
    let source = node.isClone ? all.first { !$0.isClone && node.isClone(of: $0) } ?? node : node
    self.init(source, beside: all.filter { $0.path != source.path && !$0.isClone })
  }

  /// The files that are about it.
  func files(in places: ConfigurationPlaces) throws -> DeviceFiles {
    try DeviceFiles(
      about: DeviceDescription(node), beside: others.map(DeviceDescription.init), in: places)
  }

  /// Why it is left alone by these settings; `nil` if it is taken.
  func reasonToLeave(by settings: Settings) -> String? {
    switch Selection.automatic.decide(on: node, by: settings) {
    case .take: nil
    case .leave(let reason): reason
    }
  }
}

/// What is done with a plan for a device file: it is shown, carried out if that is wanted, and adopted by the service.
struct DeviceFileConclusion {
  let plan: DeviceFilePlan
  /// The device; `nil` if it is not plugged in.
  let chosen: ChosenDevice?
  /// Whether to go on without asking.
  let isAgreed: Bool
  /// Whether only to show what would be done.
  let isDryRun: Bool
  /// What it is laid out for.
  let sheet: Sheet

  // What reaches the person and the service; tests stand in for both.
  var show: (String) throws -> Void = { try Terminal.standardOutput.write($0) }
  var say: (String) -> Void = { report($0) }
  /// Asks the person, who may give no answer; `nil` where nobody can be asked.
  var ask: ((String) throws -> String?)?
  var adopt: (DeviceFileChange) throws -> Void = { change in
    try Adoption(of: change.places.path, isDeletion: change.purpose == nil).run()
  }

  init(
    _ plan: DeviceFilePlan, about chosen: ChosenDevice?, isAgreed: Bool = false,
    isDryRun: Bool = false, on sheet: Sheet
  ) {
    self.plan = plan
    self.chosen = chosen
    self.isAgreed = isAgreed
    self.isDryRun = isDryRun
    self.sheet = sheet
    if Terminal.canAsk { ask = { try Terminal.ask($0) } }
  }

  init(_ plan: DeviceFilePlan, about chosen: ChosenDevice?, _ options: DeviceFileOptions) {
    self.init(
      plan, about: chosen, isAgreed: options.yes, isDryRun: options.dryRun,
      on: Sheet(for: .standardOutput, isPlain: options.plain.isPlain))
  }

  func run() throws {
    switch plan {
    case .nothing(let reason): say(reason)
    case .change(let change): try carryOut(change)
    }
  }

  private func carryOut(_ change: DeviceFileChange) throws {
    let settings = try change.settings()
    try show(change.differenceLines(on: sheet).map { $0 + "\n" }.joined())
    try foretell(change, settings)
    let path = change.path.printable
    let isDeletion = change.purpose == nil
    let nothing = "nothing was \(isDeletion ? "deleted" : "written")"
    guard !isDryRun else { return say(nothing) }
    if !isAgreed {
      guard let ask else {
        return say("\(nothing); --yes \(isDeletion ? "deletes" : "writes") \(path)")
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
    let title = chosen.node.title
    if let reason = chosen.reasonToLeave(by: settings) {
      guard change.purpose != .take else {
        throw DeviceFileError.inVain(name: title, reason: reason)
      }
      say("with this, “\(title)” (\(chosen.node.path)) is left alone: \(reason.printable)")
    } else {
      say("with this, “\(title)” (\(chosen.node.path)) is taken")
    }
    let others = chosen.others.filter { other in
      (try? settings.device(for: DeviceDescription(other)))?.file == change.path
    }
    guard !others.isEmpty else { return }
    say("the file is about \(others.map(\.path).joined(separator: ", ")), too: of the same name")
  }
}
