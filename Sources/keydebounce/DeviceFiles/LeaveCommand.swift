import ArgumentParser
import Calibration
import Configuration

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
