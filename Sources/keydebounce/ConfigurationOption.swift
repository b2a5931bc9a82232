import ArgumentParser
import Configuration
import Glibc

/// `--config`: the configuration that a command uses.
struct ConfigurationOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Use this configuration instead of that in \(RunCommand.defaultFolder).",
      discussion: "A configuration folder, a keydebounce.toml, or one device file.",
      valueName: "path"),
    completion: .file())
  var config: String?

  /// Reads the settings as the service does at its start; those that are packaged where there is no configuration and none
  /// was asked for.
  func load() throws(ConfigurationErrors) -> LoadedSettings {
    guard let config else { return try Self.ofService() }
    return try LoadedSettings(
      readingFrom: ConfigurationPlaces(config), toleratesBrokenDevices: true)
  }

  /// What the service reads, as its user if root calls.
  static func ofService() throws(ConfigurationErrors) -> LoadedSettings {
    let user = ServiceUser()
    defer { user?.resign() }
    return try LoadedSettings(readingFrom: .system, toleratesBrokenDevices: true)
  }
}

/// Makes root act as the service's user for a while: there are files that root can read, and the service cannot.
struct ServiceUser {
  private let groups: [gid_t]

  /// - Returns: `nil` if somebody else calls, or there is no such user.
  init?() {
    guard geteuid() == 0, let user = getpwnam("keydebounce")?.pointee else { return nil }
    var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
    guard getgroups(CInt(groups.count), &groups) >= 0 else { return nil }
    self.groups = groups
    guard initgroups("keydebounce", user.pw_gid) == 0, setegid(user.pw_gid) == 0,
      seteuid(user.pw_uid) == 0
    else {
      resign()
      return nil
    }
  }

  /// Makes root act as root again.
  func resign() {
    seteuid(0)
    setegid(0)
    setgroups(groups.count, groups)
  }
}
