import FoundationEssentials

/// The name of a field in JSON. `encode` writes `null` for what is not known, `encodeIfPresent` leaves the field out.
package struct FieldName: CodingKey, ExpressibleByStringLiteral {
  package let stringValue: String
  package var intValue: Int? { nil }

  package init(stringValue: String) { self.stringValue = stringValue }
  package init(stringLiteral name: String) { stringValue = name }
  package init?(intValue: Int) { nil }
}

/// JSON as the daemon sends and stores it, and as commands write it: names in snake case, and ASCII alone. A terminal on which
/// somebody shows it obeys nothing that a device calls itself.
public enum StatusJSON {
  /// Encodes a value as JSON, with its fields in the order of their names.
  ///
  /// - Parameter isPretty: Whether the text is broken into lines and indented, for people.
  /// - Throws: `EncodingError`, or what the value's own encoding throws.
  public static func encode(_ value: some Encodable, isPretty: Bool = false) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
    let bytes = Array(try encoder.encode(value))
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

  /// Line feeds are never within the strings of JSON.
  private static func isPlain(_ byte: UInt8) -> Bool { 0x20..<0x7f ~= byte || byte == 0x0a }

  /// Decodes a value from JSON.
  ///
  /// - Throws: `DecodingError` if the bytes are not JSON, or describe something else.
  public static func decode<Value: Decodable>(_: Value.Type, from bytes: [UInt8]) throws -> Value {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Value.self, from: Data(bytes))
  }
}
