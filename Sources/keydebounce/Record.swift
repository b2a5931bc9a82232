import ArgumentParser
import EventDevices
import Service

struct Record: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write down what a device sends.",
    discussion: """
      For bug reports, and to try strategies with “keydebounce replay”: a recording as evemu-record writes \
      it, with the device's name and numbers and every key that is pressed. Ctrl-C ends it.

      The device works on meanwhile; nothing is grabbed. While another program has grabbed the device, as \
      “keydebounce run” does, nothing can be recorded: stop it, or let it record itself with \
      “keydebounce run --record”.
      """)

  @Argument(
    help: ArgumentHelp(
      "The device: an event node (/dev/input/eventN) or a link to one (/dev/input/by-id/…).",
      valueName: "device"))
  var device: String

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Where to write it. A file that exists is left alone.", valueName: "file"))
  var output: String

  func run() throws {
    do {
      report(
        "everything typed on \(device) from now on is written to \(output), passwords too; "
          + "delete it when done")
      let source = try open()
      var recording = try DeviceRecording(of: source, to: output)
      report("recording “\(source.identity.name)”; Ctrl-C ends it")
      let end = try recording.record(source)
      report("\(end); presses recorded: \(recording.presses)")
    } catch {
      throw ExitCode.reporting(error)
    }
  }

  private func open() throws -> Source {
    do {
      return try Source(path: device)
    } catch DeviceError.gone {
      throw StartError.noSuchDevice(device)
    }
  }
}
