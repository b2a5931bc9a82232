import Testing

/// `keydebounce run`, as far as it comes without a device.
@Suite("keydebounce run") struct RunCommandTests {
  @Test("touches nothing where the configuration is broken, and names no key in the log")
  func brokenConfiguration() throws {
    let mistakes = fixtures.appending(path: "devices/mistakes.toml").path
    let run = try Command("run", "--config", mistakes)
    #expect(run.status == 78)
    #expect(run.output == "")
    #expect(run.errors.contains("mistakes.toml:"))
    #expect(run.errors.contains("no keyboard is touched"))
    #expect(!run.errors.contains("KEY_"))
  }

  @Test("and where a configuration was asked for that is not there")
  func missingConfiguration() throws {
    let run = try Command("run", "--config", "/nowhere")
    #expect(run.status == 78)
    #expect(run.errors.contains("/nowhere: is not there"))
  }
}
