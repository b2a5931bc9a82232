import ArgumentParser
import Configuration

/// `--config`: whose settings a command goes by.
struct ConfigurationOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Go by this configuration, and not by that of \(RunCommand.defaultFolder).",
      discussion: "A configuration folder, or one device file.", valueName: "path"),
    completion: .file())
  var config: String?

  /// Reads the settings; those that are packaged where there is no configuration and none was asked for.
  func load() throws(ConfigurationErrors) -> LoadedSettings {
    try LoadedSettings(readingFrom: config ?? RunCommand.defaultFolder, mayBeMissing: config == nil)
  }
}
