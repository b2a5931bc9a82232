import FoundationEssentials
import Terminal

/// JSON as the daemon sends and stores it, and as commands write it: names in snake case, and nothing in it that a
/// terminal obeys.
public enum StatusJSON {
  /// The value as JSON.
  public static func encode(_ value: some Encodable, isPretty: Bool = false) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting =
      isPretty
      ? [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      : [.sortedKeys, .withoutEscapingSlashes]
    return Array(String(decoding: try encoder.encode(value), as: UTF8.self).printableJSON.utf8)
  }

  /// Decodes a value from JSON.
  ///
  /// - Throws: `DecodingError` if the bytes are not JSON, or describe something else.
  public static func decode<Value: Decodable>(_: Value.Type, from bytes: [UInt8]) throws -> Value {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Value.self, from: Data(bytes))
  }
}
