import ArgumentParser
import Configuration
import Glibc

/// `--config`: whose settings a command goes by.
struct ConfigurationOption: ParsableArguments {
  /// Where the daemon's settings are.
  static let folder = "/etc/keydebounce"

  @Option(
    help: ArgumentHelp(
      "Go by this configuration, and not by that of \(folder).",
      discussion: "A configuration folder, or one device file.", valueName: "path"),
    completion: .file())
  var config: String?

  /// The settings; those that are packaged where there is no configuration and none was asked for.
  func settings() throws(ConfigurationErrors) -> Settings {
    if let config { return try Settings(readingFrom: config) }
    guard access(Self.folder, F_OK) == 0 || errno != ENOENT else { return .packaged }
    return try Settings(readingFrom: Self.folder)
  }
}
