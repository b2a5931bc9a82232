import ArgumentParser
import Configuration

/// What `take`, `leave` and `forget` are called with.
struct DeviceFileOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The device; without it, a choice of those to which this can apply.",
      discussion: NamedDevices.help, valueName: "device"),
    completion: NamedDevices.completion)
  var device: String?

  @Flag(help: "Write or delete the file without asking.")
  var yes = false

  @Flag(help: "Show what would be written or deleted, and do nothing.")
  var dryRun = false

  @OptionGroup var plain: PlainOption

  @Option(
    help: ArgumentHelp(
      "The configuration folder, if not \(RunCommand.defaultFolder).",
      discussion: "The file is in its folder devices.d.", valueName: "dir"),
    completion: .directory)
  var config: String?

  var places: ConfigurationPlaces { .writable(config) }

  func validate() throws {
    if yes, dryRun { throw ValidationError("Give --yes or --dry-run, not both.") }
    if yes, device == nil { throw ValidationError("With --yes, name the device.") }
  }

  /// The present settings.
  func settings() throws -> Settings { try LoadedSettings(readingFrom: places).settings }

  /// Runs a command, and reports what ends it.
  func reporting(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let code as ExitCode {
      throw code
    } catch {
      throw ExitCode.reporting(error)
    }
  }
}

extension ConfigurationPlaces {
  /// Those of `--config`, or the system's; in either, files can be written.
  static func writable(_ config: String?) -> ConfigurationPlaces {
    config.map { ConfigurationPlaces($0, mayBeMissing: true) } ?? .system
  }
}
