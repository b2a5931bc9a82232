import Status
import Terminal

/// Writes a message to the person who called the command, on standard error.
func report(_ text: some StringProtocol) {
  // The raw arguments are searched: not every command has the option, and a message may come before they are parsed.
  let isPlain = CommandLine.arguments.contains("--plain")
  let sheet = Sheet(forMessagesOn: .errors, isPlain: isPlain)
  try? TextOutput.errors.write(sheet.message(text) + "\n")
}

extension TextOutput {
  /// Writes a value as JSON for people and programs.
  func write(json value: some Encodable) throws {
    try write(StatusJSON.encodeLines(value) + "\n")
  }
}
