import Configuration
import Control
import DeviceFiles
import EventDevices
import Files
import Status
import SystemPackage
import Terminal

/// Shows a plan for a device file, carries it out if the person agrees, and has the service use it.
struct DeviceFileConclusion {
  let plan: DeviceFilePlan
  /// The device; `nil` if it is not plugged in.
  let chosen: ChosenDevice?
  /// Whether to go on without asking, and the option that says so.
  var isAgreed = false
  var agreement = "--yes"
  /// Whether only to show what would be done.
  var isDryRun = false
  /// The sheet on which the plan is shown.
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
    let title = chosen.node.title
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
