import Configuration
import TerminalText

/// How a problem with the configuration is shown: as compilers do it, so that editors find the place.
///
/// ```
/// /etc/keydebounce/devices.d/10-desk.toml:7:1: error: unknown key “KEY_EE”; …
///     KEY_EE = 40
///     ^~~~~~
/// ```
enum ProblemReport {
  /// The problem with the line of its file, for a terminal.
  static func text(of problem: Problem, on terminal: Terminal) -> String {
    let severity = terminal.styled(
      "\(problem.severity.rawValue):", .bold, problem.severity == .error ? .red : .yellow)
    var text =
      "\(terminal.styled("\(problem.location):", .bold)) \(severity) \(problem.message)\n"
    if let excerpt = problem.place?.excerpt {
      text += "\(excerpt.line)\n\(terminal.styled(excerpt.marker, .bold, .green))\n"
    }
    return text
  }
}
