import Configuration
import Terminal

/// How a problem with the configuration is shown: as compilers do it, so that editors find the place.
///
/// ```
/// /etc/keydebounce/devices.d/10-desk.toml:7:1: error: unknown key “KEY_EE”; …
///     KEY_EE = 40
///     ^~~~~~
/// ```
enum ProblemReport {
  /// The problem and the line of its file.
  static func text(of problem: Problem, on sheet: Sheet) -> String {
    var lines = [
      sheet.line([
        StyledText("\(problem.location):", .bold), .blank(1),
        StyledText(
          "\(problem.severity.rawValue):", .bold, problem.severity == .error ? .red : .yellow),
        StyledText(" \(problem.message)"),
      ])
    ]
    if let excerpt = problem.place?.excerpt {
      lines += [
        sheet.line([StyledText(excerpt.line)]),
        sheet.line([StyledText(excerpt.marker, .bold, .green)]),
      ]
    }
    return lines.map { $0 + "\n" }.joined()
  }
}
