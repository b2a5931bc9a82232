import ArgumentParser
import Calibration
import Configuration
import EventDevices

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
