import Calibration
import Configuration
import EventDevices
import Terminal

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
