import Foundation
import Testing

/// Everything that needs a real kernel: run by `make test` in the virtual machine.
///
/// One after the other: the tests share the machine's devices.
@Suite(
  "End to end", .serialized,
  .enabled(if: isVirtualMachine, "needs the tests' virtual machine: make test"))
enum EndToEnd {}

/// Whether this is the virtual machine, in which tests may do as they like. Whoever starts them there says so; it is not
/// guessed, because tests that are left out by mistake pass.
private let isVirtualMachine =
  ProcessInfo.processInfo.environment["KEYDEBOUNCE_PROGRAM"] != nil
