/// The text forms in which collectors read counters.
public enum MetricsForm: Sendable {
  /// OpenMetrics 1.0.
  case openMetrics
  /// The older one of Prometheus, which node_exporter reads from files: of the other it would see neither the types of
  /// counters nor histograms without a count.
  case prometheus
}

/// Counters as a collector reads them.
struct OpenMetrics {
  typealias Labels = [(name: String, value: String)]

  enum Kind: String {
    case counter
    case gauge
    case histogram
  }

  private let form: MetricsForm
  /// The text so far, without its end.
  private var lines = ""

  init(as form: MetricsForm) {
    self.form = form
  }

  var text: String { form == .openMetrics ? lines + "# EOF\n" : lines }

  /// Starts a family; its samples follow.
  ///
  /// - Parameter unit: What the name ends in, if it has a unit.
  mutating func begin(_ name: String, _ kind: Kind, unit: String? = nil, _ help: String) {
    // In the older form a family is called as its samples are.
    let name = form == .prometheus && kind == .counter ? "\(name)_total" : name
    lines += "# TYPE \(name) \(kind.rawValue)\n"
    if let unit, form == .openMetrics { lines += "# UNIT \(name) \(unit)\n" }
    lines += "# HELP \(name) \(Self.escaped(help))\n"
  }

  mutating func sample(_ name: String, _ value: some CustomStringConvertible, _ labels: Labels = [])
  {
    let list = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
    lines += "\(name)\(list.isEmpty ? "" : "{\(list)}") \(value)\n"
  }

  /// A histogram whose sum is not known: OpenMetrics then requires that there is no `_count` either, which is in the last
  /// bucket. The older form requires both.
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
    guard form == .prometheus else { return }
    sample("\(name)_sum", "NaN", labels)
    sample("\(name)_count", total, labels)
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
