import Debounce
import Foundation

/// One case of a fixture file: what a device sends, and what must become of it.
///
/// A file holds cases like this one:
///
/// ```
/// # A comment: where the cases come from.
/// == press bounce (A)
/// rules adaptive threshold=25 confirm=30
/// raw   A+0 A-8 A+14 A-120
/// clean A+0 A-120
/// ```
///
/// `A+14` is key A that goes down 14 ms after the start, `A-120` its release; fractions are allowed.
/// `&` between two edges joins them in one frame. Clean edges carry the time of their emission. Lines
/// that begin with the same word continue each other.
///
/// The strategies are given by
///
/// * `rules STRATEGY [name=value …] [flush=modifiers|all|none]`, for every key;
/// * `key NAME STRATEGY [name=value …]`, for one key, which is named as one in `[keys]` is;
/// * `group NAME… lockout=MS`, for keys that lock each other out;
/// * `meaning NAME [single=NAME] [double=NAME] [hold=NAME] [within=MS] [after=MS] [eager=true] [gap=MS]`, for what
///   the strokes of a key mean;
///
/// and are the packaged defaults where nothing is given. What stands before the first case holds for
/// every case of the file that does not give its own.
public struct StrokeCase: Sendable {
  public var name: String
  /// Where the case begins, as `file:line`.
  public var place: String
  public var rules: Rules
  public var raw: [Edge]
  public var clean: [Edge]
}

extension StrokeCase: CustomStringConvertible {
  public var description: String { "\(place): \(name)" }
}

extension StrokeCase {
  /// Reads the cases of the file at `path`.
  public static func load(_ path: String) throws -> [StrokeCase] {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    return try parse(text, file: String(path.split(separator: "/").last ?? "?"))
  }

  /// Reads the cases written in `text`.
  ///
  /// - Parameter file: What the text is called where something is wrong with it.
  public static func parse(_ text: String, file: String) throws(StrokeError) -> [StrokeCase] {
    var parser = StrokeParser(file: file)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      try parser.read(line)
    }
    return try parser.finish()
  }
}

/// Where a fixture cannot be understood, and what was expected there.
public struct StrokeError: Error, Equatable, CustomStringConvertible {
  public var file: String
  public var line: Int
  public var message: String

  public var description: String { "\(file):\(line): \(message)" }
}
