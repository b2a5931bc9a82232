import ArgumentParser
import Configuration
import Files
import Glibc
import Status
import Terminal

/// `--config`: the configuration that a command uses.
struct ConfigurationOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Use this configuration instead of \(RunCommand.defaultFolder).",
      discussion: "A configuration folder, a keydebounce.toml, or one device file.",
      valueName: "path"),
    completion: .file())
  var config: String?

  /// Reads the settings as the service does at its start; those that are packaged where there is no configuration and none
  /// was asked for.
  func load() throws(ConfigurationErrors) -> LoadedSettings {
    let loaded = try Self.load(config)
    if let config, let lack = loaded.lack(at: config) { report(lack) }
    return loaded
  }

  /// Reads what is named, or what the service reads, as its user if root calls.
  static func load(_ config: String? = nil) throws(ConfigurationErrors) -> LoadedSettings {
    let entry = config == nil ? getpwnam("keydebounce")?.pointee : nil
    let user = entry.flatMap { ActingUser($0.pw_uid, $0.pw_gid) }
    defer { user?.resign() }
    var places = ConfigurationPlaces.chosen(config)
    places.labels = { LayoutLabels.ofSystem() }
    return try LoadedSettings(readingFrom: places, toleratesBrokenDevices: true)
  }
}

struct PlainOption: ParsableArguments {
  @Flag(
    name: .customLong("plain"),
    help:
      "Write for screen readers: one fact a line, no drawings, columns or colours. (default: on a dumb terminal)"
  )
  var isPlain = false

  var sheet: Sheet { Sheet(for: .standard, isPlain: isPlain) }
}

extension ConfigurationPlaces {
  static func chosen(_ config: String?) -> ConfigurationPlaces {
    config.map { ConfigurationPlaces($0) } ?? .system
  }
}

/// Writes a message to the person who called the command, on standard error.
func report(_ text: some StringProtocol) {
  // The raw arguments are searched: not every command has the option, and a message may come before they are parsed.
  let isPlain = CommandLine.arguments.contains("--plain")
  let sheet = Sheet(forMessagesOn: .errors, isPlain: isPlain)
  try? TextOutput.errors.write(sheet.message(text) + "\n")
}

extension TextOutput {
  func write(json value: some Encodable) throws {
    try write(StatusJSON.encode(value, isPretty: true) + [UInt8(ascii: "\n")])
  }
}
