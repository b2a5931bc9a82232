import ArgumentParser
import Calibration
import Configuration

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
