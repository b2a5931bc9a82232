import Debounce

/// Reading configuration from memory, one file at a time: for tests of the reading itself.
extension DeviceSettings {
  /// Reads the text of a device file, with the packaged defaults around it.
  ///
  /// - Returns: Its settings, as far as they can be read, and what is wrong with it or unwise.
  package static func reading(
    _ bytes: [UInt8], of file: String
  ) -> (settings: DeviceSettings?, findings: [Problem]) {
    do {
      var reader = TableReader(try TOMLDocument(file: file, bytes: bytes))
      return (reader.device(refining: Defaults()), reader.findings)
    } catch {
      return (nil, error.findings)
    }
  }
}

extension Settings {
  /// Reads the text of a `keydebounce.toml`.
  ///
  /// - Returns: Its settings, as far as they can be read, and what is wrong with it or unwise.
  package static func reading(
    defaults bytes: [UInt8], of file: String
  ) -> (settings: Settings?, findings: [Problem]) {
    do {
      var reader = TableReader(try TOMLDocument(file: file, bytes: bytes))
      let defaults = reader.defaults()
      return (
        Settings(
          rules: .init(strategy: defaults.choice.strategy, flush: defaults.flush),
          panicChord: defaults.panicChord), reader.findings
      )
    } catch {
      return (nil, error.findings)
    }
  }
}
