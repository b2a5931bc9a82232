/// Counters in the text form of OpenMetrics 1.0, as a collector reads them.
///
/// It uses only those of the standard's types that the older text format of Prometheus has as well, which file
/// collectors read: the output is legal in both.
struct OpenMetrics {
  typealias Labels = [(name: String, value: String)]

  enum Kind: String {
    case counter
    case gauge
    case histogram
  }

  /// The text so far, without its end.
  private var lines = ""

  /// The whole text.
  var text: String { lines + "# EOF\n" }

  /// Starts a family; its samples follow.
  ///
  /// - Parameter unit: What the name ends in, if it has a unit.
  mutating func begin(_ name: String, _ kind: Kind, unit: String? = nil, _ help: String) {
    lines += "# TYPE \(name) \(kind.rawValue)\n"
    if let unit { lines += "# UNIT \(name) \(unit)\n" }
    lines += "# HELP \(name) \(Self.escaped(help))\n"
  }

  mutating func sample(_ name: String, _ value: some Numeric, _ labels: Labels = []) {
    let list = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
    lines += "\(name)\(list.isEmpty ? "" : "{\(list)}") \(value)\n"
  }

  /// A histogram whose sum is not known: the standard then requires that there is no `_count` either. It is in the last
  /// bucket.
  ///
  /// - Parameters:
  ///   - counts: One for each class, not cumulative.
  ///   - bounds: Where the classes end, in the family's unit; the last has no end.
  mutating func histogram(_ name: String, _ labels: Labels, _ counts: [UInt64], bounds: [Double]) {
    var total: UInt64 = 0
    for (count, bound) in zip(counts, bounds) {
      total &+= count
      sample("\(name)_bucket", total, labels + [("le", "\(bound)")])
    }
    total &+= counts.dropFirst(bounds.count).reduce(0, &+)
    sample("\(name)_bucket", total, labels + [("le", "+Inf")])
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
