import Debounce

/// What is reported and stored of one key: its counts as the engine has them, and what belongs to them.
@dynamicMemberLookup
public struct KeyStatus: Equatable, Sendable {
  /// The key's name, such as `KEY_E`; its number if it has none.
  public var key: String
  /// Its number.
  public var code: KeyCode
  /// Whether `adaptive` is bridging the key's drop-outs now.
  public var isBridging: Bool
  public var counts: KeyCounts

  public init(key: String, code: KeyCode, counts: KeyCounts, isBridging: Bool = false) {
    self.key = key
    self.code = code
    self.isBridging = isBridging
    self.counts = counts
  }

  public subscript<Value>(dynamicMember path: KeyPath<KeyCounts, Value>) -> Value {
    counts[keyPath: path]
  }
}

/// In JSON the counts are on the same level as the name.
extension KeyStatus: Codable {
  private enum Field: CodingKey {
    case key, code, isBridging
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    key = try fields.decode(String.self, forKey: .key)
    code = try fields.decode(KeyCode.self, forKey: .code)
    isBridging = try fields.decode(Bool.self, forKey: .isBridging)
    counts = try KeyCounts(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(key, forKey: .key)
    try fields.encode(code, forKey: .code)
    try fields.encode(isBridging, forKey: .isBridging)
    try counts.encode(to: encoder)
  }
}
