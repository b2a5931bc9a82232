import FoundationEssentials

/// A field that is `null` in JSON, and not left out, where it is not known: all objects have the same fields.
@propertyWrapper
public struct OrNull<Value: Encodable>: Encodable {
  public var wrappedValue: Value?

  public init(wrappedValue: Value?) {
    self.wrappedValue = wrappedValue
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

/// JSON as the daemon sends and stores it, and as commands write it: names in snake case.
public enum StatusJSON {
  /// JSON in ASCII alone: nothing that a device calls itself is obeyed by a terminal on which somebody shows it.
  public static func encode(_ value: some Encodable) throws -> [UInt8] {
    let bytes = try encode(value, [.sortedKeys, .withoutEscapingSlashes])
    guard !bytes.allSatisfy(isPlain) else { return bytes }
    var text: [UInt8] = []
    for unit in String(decoding: bytes, as: UTF8.self).utf16 {
      if let byte = UInt8(exactly: unit), isPlain(byte) {
        text.append(byte)
      } else {
        let digits = String(unit, radix: 16)
        text += Array("\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
      }
    }
    return text
  }

  /// JSON on lines, for people. What a terminal would obey must be taken out of it.
  public static func encodeLines(_ value: some Encodable) throws -> String {
    String(
      decoding: try encode(value, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]),
      as: UTF8.self)
  }

  private static func encode(
    _ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting
  ) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = formatting
    return Array(try encoder.encode(value))
  }

  private static func isPlain(_ byte: UInt8) -> Bool { 0x20..<0x7f ~= byte }

  /// Decodes a value from JSON.
  ///
  /// - Throws: `DecodingError` if the bytes are not JSON, or describe something else.
  public static func decode<Value: Decodable>(_: Value.Type, from bytes: [UInt8]) throws -> Value {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Value.self, from: Data(bytes))
  }
}
