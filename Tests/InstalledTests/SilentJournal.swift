import TestMachine
import Testing

/// Looks through the service's journal when all tests have run: there must be much of it, and not one key.
struct SilentJournal: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: () async throws -> Void
  ) async throws {
    try await function()
    _ = try Command(program: "/usr/bin/journalctl", ["--sync"])
    let all = try journal(["--unit=keydebounce.service"])
    #expect(all.contains { $0.contains("Started keydebounce.service") })
    #expect(all.allSatisfy { !$0.contains(/(KEY|BTN)_/) })

    // What systemd says has its own codes: “code=exited, status=78”.
    let own = try journal(["_SYSTEMD_UNIT=keydebounce.service"])
    #expect(own.contains { $0.contains("debounced from now on") })
    for line in own {
      // The sandbox forbids nothing that the daemon needs.
      #expect(!line.contains("Failed to"), "\(line)")
      #expect(!line.contains(/\bcode\b/), "\(line)")
      #expect(!line.contains(/\bkeys? *#?\d/.ignoresCase()), "\(line)")
      #expect(!line.contains(Console.word), "\(line)")
    }
  }

  private func journal(_ filter: [String]) throws -> [String] {
    try Command(program: "/usr/bin/journalctl", ["--no-pager", "--output=cat"] + filter)
      .output.split(separator: "\n").map(String.init)
  }
}

extension Trait where Self == SilentJournal {
  /// Looks through the journal in the end.
  static var silentJournal: Self { SilentJournal() }
}
