import ArgumentParser
@testable import Configuration
import Control
import Debounce
@testable import EventDevices
import DeviceFiles
import Foundation
import Glibc
import Samples
import Terminal
import Testing

@testable import keydebounce

/// What can be seen of them without a device: what they do with one is called here as the commands call it.
@Suite("keydebounce take, leave and forget")
final class DeviceFileCommandTests {
  private let home: Folder
  /// A configuration folder, which is not there yet.
  private let folder: String

  init() throws {
    home = try Folder()
    folder = home.path + "/keydebounce"
  }

  private var mouse: DeviceNode { mouse(4, "Optical Mouse", keys: [0x110, 0x111]) }

  private func mouse(
    _ number: Int, _ name: String, keys: [KeyCode], _ properties: [String: String] = [:]
  ) -> DeviceNode {
    node(
      number, name, kinds: [.mouse], vendor: 0x46d, product: 0xc077, phys: "usb-\(number)/input0",
      keys: KeySet(keys), properties)
  }

  private var pedal: DeviceNode {
    node(5, "Foot Switch", kinds: [], keys: KeySet([0x100]), ["ID_INPUT_KEY": "1"])
  }

  private var keyboard: DeviceNode { node(6, "Board") }

  private enum Verb {
    case take, leave, forget
  }

  /// What a person sees of a call.
  private final class Call {
    var shown = ""
    var said: [String] = []
    var questions: [String] = []
    var adopted: [String] = []
    /// Which error ended it.
    var error: (any Error)?

    /// The exit code.
    var status: Int32 { error.map { ExitCode(of: $0).rawValue } ?? 0 }
  }

  /// Calls a command as the program does.
  ///
  /// - Parameters:
  ///   - answer: What the person answers; `nil` where there is none to ask.
  ///   - meanwhile: What happens after the plan was made.
  private func call(
    _ verb: Verb, _ node: DeviceNode, beside others: [DeviceNode] = [], yes: Bool = false,
    dryRun: Bool = false, answer: String? = nil, meanwhile: () throws -> Void = {}
  ) -> Call {
    let call = Call()
    do {
      let chosen = ChosenDevice(node: node, others: others)
      let files = try chosen.files(in: places)
      let plan =
        switch verb {
        case .take:
          try files.planToTake(leftBecause: chosen.reasonToLeave(by: files.settings))
        case .leave: try files.planToLeave()
        case .forget: files.planToForget()
        }
      var conclusion = DeviceFileConclusion(
        plan: plan, chosen: chosen, isAgreed: yes, isDryRun: dryRun, sheet: Sheet(columns: 80))
      conclusion.show = { call.shown += $0 }
      conclusion.say = { call.said.append($0) }
      conclusion.ask = nil
      if let answer {
        conclusion.ask = { question in
          call.questions.append(question)
          return answer
        }
      }
      conclusion.adopt = { call.adopted.append($0.path) }
      try meanwhile()
      try conclusion.run()
    } catch {
      call.error = error
    }
    return call
  }

  private var places: ConfigurationPlaces { ConfigurationPlaces(["/nowhere", folder]) }

  private var settings: Settings { get throws { try LoadedSettings(readingFrom: folder).settings } }

  private var mouseFile: String { folder + "/devices.d/optical-mouse-046d-c077.toml" }

  private var files: [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder + "/devices.d")
    return (names ?? []).sorted()
  }

  @Test("take shows the file, writes it with --yes, and has the service adopt it")
  func take() throws {
    let run = call(.take, mouse, beside: [pedal, keyboard], yes: true)
    #expect(run.status == 0)
    #expect(run.shown.hasPrefix("--- /dev/null\n+++ \(mouseFile)\n+"))
    #expect(run.shown.contains("\n+# Written by keydebounce take\n"))
    #expect(
      run.shown.contains(
        "\n+BTN_RIGHT = { strategy = \"adaptive\", threshold = 25, suspect = 80 }\n"))
    #expect(
      run.said == [
        "keydebounce then debounces “Optical Mouse” (/dev/input/event4)", "written: \(mouseFile)",
      ])
    #expect(run.questions.isEmpty)
    #expect(run.adopted == [mouseFile])
    #expect(try Selection.automatic.takes(mouse, by: settings))
    #expect(try Command("check", "--config", folder).errors == "")

    let again = call(.take, mouse, yes: true)
    #expect(again.status == 0)
    #expect(again.said == ["\(mouseFile) already says this; nothing is written"])
    #expect(again.adopted.isEmpty)

    #expect(call(.take, pedal, yes: true).status == 0)
    #expect(try Selection.automatic.takes(pedal, by: settings))
    #expect(files.count == 2)
  }

  @Test("leave has a keyboard left alone, and forget takes that back")
  func leave() throws {
    let left = call(.leave, keyboard, yes: true)
    #expect(left.status == 0)
    #expect(left.shown.contains("\n+ignore  = true\n"))
    #expect(
      left.said[0].hasPrefix(
        "keydebounce then leaves “Board” (/dev/input/event6) alone: “ignore” in ")
    )
    #expect(try !Selection.automatic.takes(keyboard, by: settings))
    let gone = call(.forget, keyboard, yes: true)
    #expect(gone.status == 0)
    #expect(gone.shown.contains("\n+++ /dev/null\n"))
    #expect(gone.shown.contains("\n-ignore  = true\n"))
    #expect(
      gone.said == [
        "keydebounce then debounces “Board” (/dev/input/event6)",
        "deleted: \(folder)/devices.d/board-3434-0012.toml",
      ])
    #expect(gone.adopted.count == 1)
    #expect(files.isEmpty)
    let again = call(.forget, keyboard, yes: true)
    #expect(again.status == 0)
    #expect(again.said == ["neither take nor leave has written about “Board”"])
  }

  @Test("nothing is written without a yes", arguments: ["", "n", "yellow", nil])
  func questions(_ answer: String?) throws {
    let run = call(.take, mouse, answer: answer)
    #expect(run.status == 0)
    #expect(run.shown.contains("+BTN_LEFT"))
    #expect(run.questions == (answer == nil ? [] : ["Write \(mouseFile)? [y/N] "]))
    let advice = answer == nil ? "; --yes writes \(mouseFile)" : ""
    #expect(run.said.last == "nothing was written\(advice)")
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test("a yes is enough, and --dry-run only shows")
  func answerAndDryRun() throws {
    let dry = call(.take, mouse, dryRun: true, answer: "y")
    #expect(dry.status == 0)
    #expect(dry.shown.contains("+BTN_LEFT"))
    #expect(dry.questions.isEmpty)
    #expect(files.isEmpty)
    #expect(call(.take, mouse, answer: "y").adopted.count == 1)
    #expect(files.count == 1)
    #expect(call(.forget, mouse, answer: "yes").questions[0].hasPrefix("Delete "))
    #expect(files.isEmpty)
  }

  @Test("a file that would be in vain is not written, nor one beside what is broken")
  func inVain() throws {
    let refused = mouse(7, "Ball", keys: [0x110], ["KEYDEBOUNCE_IGNORE": "1"])
    let run = call(.take, refused, yes: true)
    #expect(run.status == 1)
    #expect(
      run.error.map { "\($0)" }
        == "“Ball” would be left alone all the same (KEYDEBOUNCE_IGNORE in udev's rules): "
        + "nothing was written")
    #expect(!FileManager.default.fileExists(atPath: folder))

    try home.write("[defaults]\nthresold = 1\n", to: "keydebounce/keydebounce.toml")
    #expect(call(.take, mouse, yes: true).status == 78)
    #expect(files.isEmpty)
  }

  @Test("what would not hold is shown before it is refused")
  func overridden() throws {
    #expect(call(.take, mouse, yes: true).status == 0)
    let text = try String(contentsOfFile: mouseFile, encoding: .utf8)
    // As if somebody had written about the same device, more closely, after the plan was made.
    let closer =
      "[device]\nname = \"Optical Mouse\"\nvendor = 0x46d\nproduct = 0xc077\nphys = \"usb-4*\"\n"
    let run = call(.leave, mouse, yes: true) {
      try home.write(closer, to: "keydebounce/devices.d/closer.toml")
    }
    #expect(run.status == 78)
    #expect(run.error.map { "\($0)".contains("closer.toml says more about this device") } == true)
    #expect(run.shown.contains("+ignore  = true"))
    #expect(try String(contentsOfFile: mouseFile, encoding: .utf8) == text)
  }

  @Test("which other devices the file is about is said")
  func others() throws {
    let second = mouse(8, "Optical Mouse", keys: [0x110])
    let run = call(.take, mouse, beside: [second, keyboard], yes: true)
    #expect(run.said[1] == "the file also applies to /dev/input/event8, of the same name")
  }

  @Test("a missing permission is named, and ends with 77")
  func permission() throws {
    let error = DeviceFileError.notWritten(
      path: "/etc/keydebounce/devices.d/x.toml", reason: .permissionDenied)
    #expect(ExitCode(of: error) == .noPermission)
    #expect("\(error)".contains("call it with sudo"))
    // Root may write everywhere.
    guard geteuid() != 0 else { return }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    chmod(folder, 0o555)
    let run = call(.take, mouse, yes: true)
    #expect(run.status == 77)
    // It is not asked whether to do what cannot be done.
    #expect(call(.take, mouse, answer: "y").questions.isEmpty)
  }

  @Test("which device is meant must be known", arguments: ["take", "leave", "forget"])
  func arguments(_ verb: String) throws {
    let folder = try Folder()
    let run = try Command(verb, "no-such-device", "--config", folder.path, "--yes")
    #expect(run.status == 1)
    #expect(run.output == "")
    let unknown =
      verb == "forget"
      ? "no file about “no-such-device” in \(folder.path)/devices.d"
      : "there is no device “no-such-device”"
    #expect(run.errors.contains(unknown), "\(run.errors)")
    let missing = try Command(verb, "x", "--config", "/nonexistent/keydebounce", "--yes")
    #expect(missing.status == 78)
    #expect(missing.errors.contains("is not there"))
    #expect(try Command(verb, "--yes").status == 64)
    #expect(try Command(verb, "mouse", "--yes", "--dry-run").status == 64)
    let mistakes = deviceFile("mistakes")
    #expect(try Command(verb, "mouse", "--config", mistakes).status == 78)
  }

  @Test("of a service that cannot be told is said what is known")
  func untold() throws {
    let chosen = ChosenDevice(node: mouse, others: [])
    guard case .change(let change) = try chosen.files(in: places).planToLeave() else {
      Issue.record("nothing would be written")
      return
    }
    for error in [ControlError.unreachable(.timedOut), .ended, .refused(.status)] {
      let words = change.whatIsKnown(after: error)
      #expect(words.contains("\(error)") && words.contains("If it runs and reads \(folder), “"))
      #expect(words.contains("was not told") == (error != .unreachable(.timedOut)))
    }
    let words = change.whatIsKnown(after: .notRunning)
    #expect(words.hasSuffix("the next one that reads \(folder) starts with the file"))
  }

  @Test("forget deletes the file of a device that is not plugged in")
  func absent() throws {
    #expect(call(.take, mouse, yes: true).status == 0)
    let dry = try Command("forget", mouseFile, "--config", folder, "--dry-run")
    #expect(dry.status == 0)
    #expect(dry.output.contains("\n-BTN_LEFT  = { strategy"))
    #expect(dry.errors == "keydebounce: nothing was deleted\n")
    let asked = try Command("forget", mouseFile, "--config", folder)
    #expect(asked.status == 0)
    #expect(asked.errors.contains("nothing was deleted; --yes deletes \(mouseFile)"))
    #expect(files.count == 1)
    let run = try Command("forget", mouseFile, "--config", folder, "--yes")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("deleted: \(mouseFile)\n"))
    #expect(files.isEmpty)
  }

  @Test("forget without a device offers the files that take and leave wrote")
  func anyFile() throws {
    let none = try Command("forget", "--config", home.path)
    #expect(none.status == 1 && none.errors.contains("have written no file in "), "\(none.errors)")
    #expect(call(.take, mouse, yes: true).status == 0)
    let one = try Command("forget", "--config", folder)
    #expect(one.errors.contains("nothing was deleted; --yes deletes \(mouseFile)"), "\(one.errors)")
    #expect(call(.leave, keyboard, yes: true).status == 0)
    let two = try Command("forget", "--config", folder)
    #expect(two.status == 1 && files.count == 2)
    #expect(files.allSatisfy { two.errors.contains("\n  \(folder)/devices.d/\($0)") })
  }

  @Test("list says which command takes what is left alone")
  func listed() throws {
    func listed(_ node: DeviceNode) throws -> ListedDevice {
      ListedDevice(node, by: try LoadedSettings(readingFrom: places).settings)
    }
    let left = try listed(mouse)
    #expect(
      left.action == "leave: no keyboard, and no device file is about it; "
        + "“sudo keydebounce take event4” changes this")
    #expect(left.command == "take")
    #expect(try listed(keyboard).command == nil)
    #expect(call(.leave, keyboard, yes: true).status == 0)
    #expect(
      try listed(keyboard).action.hasSuffix("; “sudo keydebounce forget event6” changes this"))
    #expect(call(.take, mouse, yes: true).status == 0)
    #expect(try listed(mouse).command == nil)
  }
}
