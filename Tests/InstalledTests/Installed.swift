import Foundation
import TestMachine
import Testing

/// What needs a whole system, with the package installed: run by `make test` in the virtual machine, booted with systemd.
///
/// One after the other: the tests share the service and the console. Each leaves both as it found them.
@Suite(
  "Installed", .serialized, .silentJournal,
  .enabled(if: isBooted, "needs the tests' virtual machine, booted: make test"))
enum Installed {}

/// Whether this is the booted virtual machine, in which tests may do as they like. Whoever starts them there says so.
private let isBooted = ProcessInfo.processInfo.environment["KEYDEBOUNCE_INSTALLED"] != nil
