import Configuration
import Debounce
import EventDevices
import Foundation
import Samples

extension Folder {
  /// What is wrong with the folder, or with a file in it, and what is unwise.
  func problems(in file: String = "") -> [Problem] {
    do {
      return try LoadedSettings(readingFrom: file.isEmpty ? path : path + "/" + file).warnings
    } catch {
      return error.findings
    }
  }

  /// The same as it is shown, without the folder's path.
  func findings(in file: String = "") -> [String] {
    problems(in: file).map { problem in
      let text = problem.explanation().replacingOccurrences(of: path + "/devices.d/", with: "")
        .replacingOccurrences(of: path + "/", with: "").replacingOccurrences(
          of: path, with: "folder")
      return problem.severity == .warning ? "warning: \(text)" : text
    }
  }
}

/// The settings that one device file makes.
func settings(_ toml: String, defaults: String = "") throws -> Settings {
  try loadedSettings(toml, defaults: defaults).settings
}

/// The same with what is to be said about the file.
func loadedSettings(_ toml: String, defaults: String = "") throws -> LoadedSettings {
  try loadedSettings(["keydebounce.toml": defaults, "devices.d/10.toml": toml])
}

/// What a folder with these files says.
func loadedSettings(_ files: [String: String]) throws -> LoadedSettings {
  let folder = try Folder(files)
  return try LoadedSettings(readingFrom: folder.path)
}

/// The rules by which a device is debounced.
func rulesInForce(
  _ settings: Settings, for device: DeviceDescription = keyboard
) throws -> Rules {
  try settings.device(for: device)?.rules ?? settings.rules
}

let keyboard = DeviceDescription(
  DeviceIdentity(name: "Keychron K2 Max", vendor: 0x3434, product: 0x120, version: 0x111))
