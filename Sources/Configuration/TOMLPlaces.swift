/// Where in a TOML file its tables, keys and values stand.
///
/// The parser says where a file is no TOML, but not where the values stand that it has read. This reads headers,
/// keys, and where values begin and end; what they are it leaves to the parser. Places are ranges of bytes.
struct TOMLPlaces {
  /// Where a key and its value stand. An element of a list has no key, a table with a header no value.
  private struct Place {
    var key: Range<Int>?
    var value: Range<Int>?
    /// Whether it is given here, and not merely part of a longer name.
    var isGiven = false
  }

  private var places: [[String]: Place] = [:]

  /// A place at which a file is no TOML, of a kind that must be found before the parser gets to see it.
  struct Fault {
    var range: Range<Int>
    /// Where the table or key begins that it is part of.
    var start: Int
    var message: String
  }

  /// The first header in which no name begins, closing brace where a list goes on, date that announces a time and has
  /// none or half of its hour, or name of many parts. The parser does not refuse them but ends the program.
  private(set) var fault: Fault?

  /// A name that is given twice: where again, and where first.
  struct Repetition {
    var range: Range<Int>
    var first: Range<Int>
  }

  private(set) var repetitions: [Repetition] = []

  /// How many elements each list of tables (`[[…]]`) has by now.
  private var counts: [[String]: Int] = [:]

  /// How long the paths of the places are that are kept. What lies deeper by the thousand must not use up the memory.
  static let deepest = 8

  /// - Parameter text: Bytes of UTF-8, without a byte order mark.
  init(of text: some Sequence<UInt8>) {
    var scanner = TOMLScanner(text: Array(text))
    while let part = scanner.next(noting: &self) {
      if fault == nil { fault = part.fault }
    }
  }

  /// Where the name of what stands at the path is, or where that is which it is part of; `nil` if not even that is
  /// known.
  func key(of path: [String]) -> Range<Int>? {
    nearest(to: path) { $0.key ?? $0.value }
  }

  /// Where the value at the path is; its name if it has no place of its own.
  func value(of path: [String]) -> Range<Int>? {
    nearest(to: path) { $0.value ?? $0.key }
  }

  /// The values around a byte, or that end before it, from the inside out.
  func values(around offset: Int) -> [Range<Int>] {
    places.values.compactMap(\.value)
      .filter { $0.lowerBound <= offset && offset <= $0.upperBound }
      .sorted { ($0.count, $1.lowerBound) < ($1.count, $0.lowerBound) }
  }

  private func nearest(
    to path: [String], _ range: (Place) -> Range<Int>?
  ) -> Range<Int>? {
    var path = path
    while !path.isEmpty {
      if let place = places[path], let range = range(place) { return range }
      path.removeLast()
    }
    return nil
  }
}

extension TOMLPlaces {
  typealias Name = (text: String, range: Range<Int>)

  /// Notes a header.
  ///
  /// - Returns: The table's path; `nil` if it lies too deep for anything that is known.
  mutating func note(header names: [Name], isElement: Bool) -> [String]? {
    var path: [String] = []
    // Of what lies too deep, the tables around it are told of.
    for (index, name) in names.prefix(Self.deepest).enumerated() {
      path.append(name.text)
      let isLast = index == names.count - 1
      if isLast, isElement {
        note(key: name.range, of: path, isGiven: false)
        counts[path, default: 0] += 1
        path.append(String((counts[path] ?? 1) - 1))
        note(key: name.range, of: path, isGiven: true)
      } else {
        note(key: name.range, of: path, isGiven: isLast)
        // What lies in a list of tables lies in its last one.
        if !isLast, let count = counts[path] { path.append(String(count - 1)) }
      }
    }
    return names.count <= Self.deepest ? path : nil
  }

  /// Notes a key, which may have several names with dots between them.
  ///
  /// - Returns: Its path; `nil` if it lies too deep for anything that is known.
  mutating func note(key names: [Name], in table: [String]?) -> [String]? {
    guard let table else { return nil }
    var path = table
    for (index, name) in names.prefix(max(Self.deepest - path.count, 0)).enumerated() {
      path.append(name.text)
      note(key: name.range, of: path, isGiven: index == names.count - 1)
    }
    return table.count + names.count <= Self.deepest ? path : nil
  }

  mutating func note(value range: Range<Int>, of path: [String]) {
    guard path.count <= Self.deepest, places[path]?.value == nil else { return }
    places[path, default: Place()].value = range
  }

  private mutating func note(key range: Range<Int>, of path: [String], isGiven: Bool) {
    guard path.count <= Self.deepest else { return }
    var place = places[path] ?? Place()
    if isGiven, place.isGiven, let first = place.key {
      repetitions.append(Repetition(range: range, first: first))
    } else if isGiven || place.key == nil {
      // The header of a table says more than one of a table within it.
      place.key = range
    }
    place.isGiven = place.isGiven || isGiven
    places[path] = place
  }
}
