import Foundation

/// What is changed.
struct Scope {
  let name: String
  /// The module, whose sources are in the folder of the same name.
  let module: String
  /// Files whose paths in that folder begin so; none for all.
  let files: [String]

  static let all = [
    Scope(name: "engine", module: "Debounce", files: []),
    Scope(name: "lifecycle", module: "Service", files: ["Lifecycle"]),
    Scope(name: "selection", module: "Configuration", files: ["Selection"]),
    Scope(name: "clone", module: "EventDevices", files: ["DeviceCapabilities"]),
  ]

  /// The targets with the tests that are to notice. The others look at these modules from afar, and take long.
  static let tests = [
    "DebounceTests", "ServiceTests", "EventDevicesTests", "RecordingTests",
    "ConfigurationTests", "StatusTests",
  ]

  /// Tests that are left out: they measure what the switches cost, change the engine themselves, or try what people may have
  /// written or stored, which takes long and says nothing of what is changed.
  static let without = [
    "CostTests", "ReloadMemoryTests", "UnusedMemoryTests", "itFailsOfItsMutant",
    "disturbedMutants", "LifecycleGraphTests/mutants", "AnythingTests", "BadRecordingTests",
    "ConfigurationTests.FileTests", "MistakeTests", "StatisticsStoreTests", "DayStoreTests",
  ]

  /// The files, by their paths from the package's folder, in order.
  func paths(in package: URL) throws -> [String] {
    let folder = "Sources/\(module)/"
    return try FileManager.default.subpathsOfDirectory(atPath: package.appending(path: folder).path)
      .filter { path in
        path.hasSuffix(".swift") && (files.isEmpty || files.contains { path.hasPrefix($0) })
      }.sorted().map { folder + $0 }
  }
}
