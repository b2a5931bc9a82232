import Debounce
import Devices

/// What shows only when the configuration is held against the devices that are there.
extension Settings {
  /// Device files that match none of the devices, and keys that they name and none of their devices has.
  ///
  /// A keyboard is often several devices: a key that is missing on one of those that a file matches is no mistake
  /// if another has it.
  public func warnings(forDevices present: [DeviceDescription]) -> [Problem] {
    devices.flatMap { settings -> [Problem] in
      let matching = present.filter { settings.pattern.matches($0) }
      guard !matching.isEmpty else {
        return [
          Problem(
            .file, severity: .warning, file: settings.file, place: settings.remarks.pattern,
            message: "no device that is there matches; “keydebounce list” shows what can be matched"
          )
        ]
      }
      // A device may match and yet have a better file, or two that are as good.
      let own = matching.filter { (try? device(for: $0))??.file == settings.file }
      guard !own.isEmpty, !settings.isIgnored else { return [] }
      return settings.remarks.keys.filter { key in
        !own.contains { $0.keys?.contains(key.code) ?? true }
      }.map { key in
        let names = Set(own.map { "“\($0.identity.name)”" }).sorted()
        return Problem(
          .missingKey, severity: .warning, file: settings.file, place: key.place,
          message: "“\(key.name)” is no key of \(TableReader.list(names)): "
            + (key.isInChord ? "the panic chord cannot be held there" : "this has no effect"))
      }
    }
  }
}
