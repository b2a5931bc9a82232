import Configuration
import EventDevices
import Logging

/// The settings that hold, where they are from, and what was wrong with the files at the last reading.
struct LiveConfiguration {
  /// Settings that were read anew, or why they could not be.
  typealias NewSettings = Result<LoadedSettings, ConfigurationErrors>

  let places: ConfigurationPlaces
  private(set) var loaded: LoadedSettings
  private(set) var reloads = 0
  /// Errors of the last reading, a line each, without the names of keys. Empty if there was none.
  private(set) var problems: [String] = []
  /// Settings that are legal but unwise, in the same form.
  private(set) var warnings: [String] = []

  private let log: Logger

  /// Reads the settings at the start. A device file with errors has its devices left alone, because there are no earlier settings
  /// for them. A file that cannot be read does not hold.
  ///
  /// - Throws: `ConfigurationErrors` if what holds for every device is broken.
  init(readingFrom places: ConfigurationPlaces, log: Logger) throws(ConfigurationErrors) {
    (self.places, self.log) = (places, log)
    loaded = try LoadedSettings(readingFrom: places, toleratesBrokenDevices: true)
    guard !loaded.errors.isEmpty else { return }
    report(
      loaded.errors,
      """
      the settings in \(places.path) have errors: devices of broken device files are left alone as far as these can be \
      told, files that cannot be read do not hold, and everything else is debounced. “keydebounce check” shows more
      """)
  }

  private mutating func report(_ errors: [Problem], _ consequence: String) {
    let earlier = problems
    problems = errors.map(\.forLog)
    // Members of the group may have broken files read again and again.
    let new = problems == earlier ? [] : problems
    for line in new + [consequence] { log.about(.brokenFile).error("\(line)") }
  }

  var settings: Settings { loaded.settings }

  /// Whether a device file with errors has devices left alone. One that cannot be read, or names no device, has none.
  var leavesDevicesAlone: Bool {
    (settings.devices + settings.calibrations).contains { $0.brokenFile != nil }
  }

  /// Adopts settings that were read anew, and returns whether they hold now. If the files are broken, those from before do.
  mutating func adopt(_ new: NewSettings) -> Bool {
    reloads += 1
    switch new {
    case .success(let settings):
      loaded = settings
      problems = []
      log.notice("reloaded the configuration")
      return true
    case .failure(let errors):
      report(
        errors.problems,
        """
        the configuration in \(places.path) has errors: the settings from before still hold. \
        “keydebounce check” shows more
        """)
      return false
    }
  }

  /// Compares the settings with the devices that are there, and logs what is unwise.
  mutating func warn(of nodes: [DeviceNode]) {
    let devices = nodes.filter { !$0.isClone }.map { DeviceDescription($0) }
    let findings = loaded.warnings + loaded.warnings(forDevices: devices)
    warnings = findings.map(\.forLog)
    for warning in warnings { log.notice("\(warning)") }
  }
}
