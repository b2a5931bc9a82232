// swift-tools-version: 6.2

import Foundation
import PackageDescription

/// What the program is linked with. The source tarball brings the sources along in `vendor`, so that it builds without
/// a network.
let isVendored = FileManager.default.fileExists(atPath: Context.packageDirectory + "/vendor")
let dependencies: [(name: String, version: Version)] = [
  ("swift-argument-parser", "1.8.2"), ("swift-log", "1.16.2"), ("swift-system", "1.8.1"),
]

let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

let package = Package(
  name: "keydebounce",
  // What the libraries need there: the daemon is for Linux. These are the first with `Mutex`, and with sequences whose
  // errors have a type.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .executable(name: "keydebounce", targets: ["keydebounce"]),
    .library(name: "Debounce", targets: ["Debounce"]),
    .library(name: "DebounceAsync", targets: ["DebounceAsync"]),
  ],
  dependencies: dependencies.map { name, version in
    isVendored
      ? .package(path: "vendor/\(name)")
      : .package(url: "https://github.com/apple/\(name)", from: version)
  },
  targets: [
    // Libraries of the system. No Swift file imports Clibudev: CEvdev includes libudev.h, with the flags that pkg-config gives.
    .systemLibrary(
      name: "Clibevdev", pkgConfig: "libevdev", providers: [.apt(["libevdev-dev"])]),
    .systemLibrary(name: "Clibudev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),
    .target(name: "CEvdev", dependencies: ["Clibevdev", "Clibudev"]),
    .target(name: "CLinux"),
    .target(name: "CTOML"),
    // Looks for libxkbcommon when it is needed.
    .target(name: "CXKB"),

    .target(name: "Debounce"),
    .target(name: "DebounceAsync", dependencies: ["Debounce"]),
    .target(name: "Files", dependencies: [system]),
    .target(
      name: "EventDevices",
      dependencies: [
        "CEvdev", "CLinux", "Debounce", "Files",
        system,
      ]),
    .target(name: "Recording", dependencies: ["Debounce", "EventDevices", "Files"]),
    .target(name: "Terminal", dependencies: ["CLinux"]),
    .target(name: "Status", dependencies: ["Debounce", "EventDevices"]),
    .target(
      name: "Reports",
      dependencies: ["Configuration", "Debounce", "EventDevices", "Status", "Terminal"]),
    // The interfaces' descriptions are compiled in, because the daemon sends them to those who ask.
    .target(
      name: "Control", dependencies: ["Status", system],
      resources: [
        .embedInCode("io.github.keydebounce.Daemon.varlink"),
        .embedInCode("org.varlink.service.varlink"),
      ]),
    .target(
      name: "Configuration",
      dependencies: [
        "CTOML", "Clibevdev", "Debounce", "EventDevices", "Files", "Terminal",
        system,
      ]),
    .target(
      name: "Calibration",
      dependencies: [
        "Configuration", "Debounce", "EventDevices", "Reports", "Status", "Terminal",
      ]),
    .target(
      name: "DeviceFiles",
      dependencies: [
        "Calibration", "Configuration", "Debounce", "EventDevices", "Files", "Status", "Terminal",
        system,
      ]),
    .target(
      name: "Service",
      dependencies: [
        "CLinux", "Configuration", "Control", "Debounce", "EventDevices", "Files", "Recording",
        "Status",
        logging,
        system,
      ]),
    .executableTarget(
      name: "keydebounce",
      dependencies: [
        "CLinux", "CXKB", "Calibration", "Configuration", "Control", "Debounce", "DeviceFiles",
        "EventDevices", "Files", "Recording", "Reports", "Service", "Status", "Terminal",
        arguments,
        logging,
        system,
      ]),

    .target(
      name: "StrokeFixtures", dependencies: ["Debounce"], path: "Tests/StrokeFixtures"),
    .target(name: "AllocationCounter", path: "Tests/AllocationCounter"),
    .target(name: "Randomness", path: "Tests/Randomness"),
    .target(
      name: "Samples", dependencies: ["Debounce", "EventDevices", "Status"], path: "Tests/Samples"),
    .testTarget(
      name: "DebounceAsyncTests", dependencies: ["Debounce", "DebounceAsync", "Randomness"]),
    .testTarget(
      name: "TerminalTests", dependencies: ["Randomness", "Samples", "Terminal", "TestMachine"]),
    .testTarget(
      name: "StatusTests",
      dependencies: ["Debounce", "EventDevices", "Randomness", "Samples", "Status"]),
    .testTarget(
      name: "ReportsTests",
      dependencies: ["Debounce", "EventDevices", "Reports", "Samples", "Status", "Terminal"]),
    .testTarget(
      name: "DebounceTests",
      dependencies: ["AllocationCounter", "Debounce", "Randomness", "StrokeFixtures"]),
    .testTarget(
      name: "RecordingTests",
      dependencies: [
        "Configuration", "Debounce", "EventDevices", "Randomness", "Recording", "StrokeFixtures",
      ]),
    .testTarget(
      name: "ConfigurationTests",
      dependencies: [
        "AllocationCounter", "Configuration", "Debounce", "EventDevices", "Samples", "Terminal",
      ]),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "Calibration", "Configuration", "Control", "Debounce", "DeviceFiles", "EventDevices",
        "Files", "Recording", "Reports", "Samples", "Status", "Terminal", "TestMachine",
        "keydebounce", arguments, system,
      ]),
    .testTarget(
      name: "ServiceTests",
      dependencies: [
        "AllocationCounter", "CLinux", "Control", "Debounce", "EventDevices", "Randomness",
        "Recording", "Samples", "Service", "Status", logging, system,
      ]),
    .testTarget(
      name: "EventDevicesTests",
      dependencies: ["CEvdev", "Debounce", "EventDevices", "Files", "Samples", system]),
    .testTarget(name: "FilesTests", dependencies: ["Files", "Samples", system]),
    .executableTarget(
      name: "picture",
      dependencies: [arguments],
      path: "Tools/Picture"),
    .testTarget(name: "PictureTests", dependencies: ["picture"]),
    .executableTarget(
      name: "mutants",
      dependencies: [arguments],
      path: "Tools/Mutants", exclude: ["equal"]),
    .testTarget(name: "MutantsTests", dependencies: ["mutants"]),
    .target(
      name: "TestMachine",
      dependencies: [
        "CEvdev", "Control", "Debounce", "EventDevices", "Recording", "Status", system,
      ], path: "Tests/TestMachine"),
    .executableTarget(
      name: "demo", dependencies: ["Debounce", "EventDevices", "Recording", "TestMachine"],
      path: "Tools/Demo"),
    .executableTarget(
      name: "benchmark-engine",
      dependencies: ["Debounce", "Recording", arguments], path: "Tools/Benchmark/Engine"),
    .executableTarget(
      name: "benchmark-floor", dependencies: ["CEvdev"], path: "Tools/Benchmark/Floor"),
    .executableTarget(
      name: "benchmark-devices",
      dependencies: [
        "CEvdev", "Control", "EventDevices", "Recording", "TestMachine", arguments, system,
      ], path: "Tools/Benchmark/Devices"),
    .target(
      name: "TypingModel", dependencies: ["Debounce", "Randomness"], path: "Tests/TypingModel"),
    .executableTarget(
      name: "scene", dependencies: ["Debounce", "EventDevices", "TestMachine", "TypingModel"],
      path: "Tools/Scene"),
    .executableTarget(
      name: "score",
      dependencies: ["Debounce", "Randomness", "TypingModel", arguments], path: "Tools/Score",
      exclude: ["picture.gnuplot"]),
    .testTarget(
      name: "CalibrationTests",
      dependencies: [
        "Calibration", "Configuration", "Debounce", "DeviceFiles", "EventDevices", "Randomness",
        "Recording", "Reports", "Samples", "Status", "Terminal", "TypingModel", "score-calibration",
      ]),
    .testTarget(
      name: "DeviceFilesTests",
      dependencies: [
        "Calibration", "Configuration", "Debounce", "DeviceFiles", "EventDevices", "Samples",
        "Terminal",
      ]),
    .executableTarget(
      name: "score-calibration",
      dependencies: ["Calibration", "Debounce", "Randomness", "TypingModel", arguments],
      path: "Tools/ScoreCalibration"),
    .testTarget(
      name: "TypingModelTests", dependencies: ["Debounce", "Randomness", "TypingModel", "score"]),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "CEvdev", "Configuration", "Control", "Debounce", "EventDevices", "Randomness", "Recording",
        "Status", "StrokeFixtures", "TestMachine", "TypingModel", system,
      ]),
    .target(
      name: "FuzzSubjects",
      dependencies: [
        "Configuration", "Debounce", "EventDevices", "Recording", "StrokeFixtures", "Terminal",
      ],
      path: "Tools/Fuzz/Subjects"),
    .testTarget(name: "FuzzTests", dependencies: ["FuzzSubjects", "Samples"]),
    .testTarget(
      name: "InstalledTests",
      dependencies: [
        "CEvdev", "Control", "Debounce", "EventDevices", "Service", "Status", "TestMachine",
      ]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// libFuzzer brings a `main` of its own, so that this links with it or not at all: `make fuzz` asks for it.
if Context.environment["KEYDEBOUNCE_FUZZER"] != nil {
  package.targets.append(
    .executableTarget(name: "fuzzer", dependencies: ["FuzzSubjects"], path: "Tools/Fuzz/Fuzzer"))
}

// Only who writes the documentation needs what makes it: `make docs` asks for it.
if Context.environment["KEYDEBOUNCE_DOCS"] != nil {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}

// The engine and its tests alone, for a release build of these that takes a minute: `make property-tests`.
if Context.environment["KEYDEBOUNCE_ENGINE_ALONE"] != nil {
  let engine = ["Debounce", "AllocationCounter", "Randomness", "StrokeFixtures", "DebounceTests"]
  package.targets.removeAll { !engine.contains($0.name) }
  package.products.removeAll()
  package.dependencies.removeAll()
}

// A module is linked because a file says so. Without this, `contains` of Foundation, which a dependency imports, would be
// taken for that of the standard library, and all of Foundation and its tables with it: 50 MB.
for target in package.targets where target.type == .regular || target.type == .executable {
  target.swiftSettings = [.enableUpcomingFeature("MemberImportVisibility")]
}

// In C, functions of the C library that know the size of what they write to check it. Not in Swift, for which these functions
// would be there twice from version 2.40 of glibc on.
for target in package.targets where ["CEvdev", "CLinux", "CTOML", "CXKB"].contains(target.name) {
  target.cSettings = [.define("_FORTIFY_SOURCE", to: "3", .when(configuration: .release))]
  target.cxxSettings = [.define("_FORTIFY_SOURCE", to: "3", .when(configuration: .release))]
}

// The daemon's objects are reached for every event. Their exclusive access is checked in debug builds, with which all tests
// run; in a release, the checks would cost more than 3 % of a frame.
for target in package.targets where target.name == "Service" {
  target.swiftSettings?.append(
    .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)))
}

// `make unit-tests` has these optimised in debug builds, too: tests spend most of their time there. Not without being asked for,
// because SwiftPM lets nobody ask for a version of a package that gives such flags.
if Context.environment["KEYDEBOUNCE_OPTIMISED"] != nil {
  let busiest = ["Debounce", "Calibration", "Randomness", "Recording", "TypingModel"]
  for target in package.targets where busiest.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-O"], .when(configuration: .debug)))
  }
}
