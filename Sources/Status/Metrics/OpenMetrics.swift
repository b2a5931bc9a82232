/// Counters in the text form of OpenMetrics 1.0, as a collector reads them.
///
/// Of the standard's types only those that the older form of Prometheus has as well, which file collectors read: what
/// is here is legal in both.
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

  /// Begins a family; its samples follow.
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

  /// A histogram of which no sum is known: then the standard wants no `_count` either. The last bucket tells it.
  ///
  /// - Parameters:
  ///   - counts: One a class, each by itself.
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
