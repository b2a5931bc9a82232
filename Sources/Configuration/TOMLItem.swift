/// A value in a TOML file, its name, and the places of both.
struct TOMLItem {
  enum Value {
    case table([String: TOMLItem])
    case array([TOMLItem])
    case string(String)
    case integer(Int)
    case number(Double)
    case boolean(Bool)
    /// A date or a time, which no setting is.
    case date
  }

  /// Its own name, or that of the list if it is an element of one.
  let name: String
  /// Whether it is an element of a list.
  var isElement = false
  let value: Value
  /// The bytes of its name, or those of the value if it is an element of a list.
  let nameRange: Range<Int>
  /// The bytes of its value, or those of the name if it is a table with a header.
  let valueRange: Range<Int>

  var isList: Bool { if case .array = value { true } else { false } }

  /// Whether it has a header: a table, or a list of tables.
  var isTable: Bool {
    switch value {
    case .table: true
    case .array(let elements): elements.first?.isTable ?? false
    default: false
    }
  }

  /// The value in a message.
  var description: String {
    switch value {
    case .table: "a table"
    case .array: "a list"
    case .string(let text): "the string \(quoted(text))"
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .date: "a date or time"
    }
  }
}
