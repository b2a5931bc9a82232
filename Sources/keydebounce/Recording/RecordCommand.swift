import ArgumentParser
import Bus
import Debounce
import Configuration
import EventDevices
import Status
import Terminal

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Write down what a device sends.",
    discussion: """
      For bug reports, and to try strategies with “keydebounce replay”: a recording as evemu-record writes \
      it, with the device's name and numbers and every key that is pressed. Ctrl-C ends it.

      The device works on meanwhile; nothing is grabbed. A device that the running daemon holds is borrowed \
      from it: it is not debounced meanwhile, and is given back in the end. While another program has grabbed \
      the device nothing can be recorded; if the daemon wants it, too, record names the programs that have it open.
      """)

  @Argument(
    help: ArgumentHelp(
      "The device: an event node (/dev/input/eventN) or a link to one (/dev/input/by-id/…).",
      valueName: "device"),
    completion: NamedDevices.completion)
  var device: String

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Where to write it. A file that exists is left alone.", valueName: "file"),
    completion: .file())
  var output: String

  func run() throws {
    do {
      let source = try open()
      report(
        "everything typed on \(device) from now on is written to \(output), passwords too; "
          + "delete it when done")
      let habits = learnedHabits()
      let loan = try BorrowedDevice(NamedDevices.path(device))
      loan.reportState()
      // Before anything that a signal to stop could leave half done.
      var watch = DeviceWatch(loan)
      var recording = try DeviceRecording(of: source, to: output, knowing: habits)
      report("recording “\(source.identity.name.printable)”; Ctrl-C ends it")
      watch.add(source)
      let end = try watch.run(&recording)
      let reason = if case .gone = end { "the device was unplugged" } else { "stopped" }
      report("\(reason); presses recorded: \(recording.presses)")
    } catch {
      throw ExitCode.reporting(error)
    }
  }

  /// What the daemon has learned of the device; nothing where none runs, or does not tell.
  private func learnedHabits() -> LearnedHabits {
    guard let status = try? DaemonClient().status() else { return LearnedHabits() }
    let node = NamedDevices.path(device)
    return status.devices.first { $0.node == node }?.counts?.habits ?? LearnedHabits()
  }

  private func open() throws -> Source {
    do {
      return try Source(path: device)
    } catch  where error.meansNoEventDevice {
      throw NoSuchDevice(path: device)
    }
  }
}
