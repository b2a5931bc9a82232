import ArgumentParser
import Configuration

/// `--config`: the configuration that a command uses.
struct ConfigurationOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Use this configuration instead of that in \(RunCommand.defaultFolder).",
      discussion: "A configuration folder, a keydebounce.toml, or one device file.",
      valueName: "path"),
    completion: .file())
  var config: String?

  /// Reads the settings; those that are packaged where there is no configuration and none was asked for.
  func load() throws(ConfigurationErrors) -> LoadedSettings {
    try LoadedSettings(readingFrom: config ?? RunCommand.defaultFolder, mayBeMissing: config == nil)
  }
}
