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

  /// By how much the key is held longer than is usual on its device, in microseconds.
  public var offset: Microseconds = 0
  /// For how many more presses its switch is taken for bad; `nil` if it is not.
  public var badFor: Int?
  /// After which gaps the late bounces of a bad key came, at most, in microseconds.
  public var reach: Microseconds = 0
  /// How many drop-outs late in a hold it has shown, less the gaps of fingers among them.
  public var lateDropOuts = 0
  /// The day on which that began.
  public var badSince: Day?

  public init(key: String, code: KeyCode, counts: KeyCounts, isBridging: Bool = false) {
    self.key = key
    self.code = code
    self.isBridging = isBridging
    self.counts = counts
  }

  public subscript<Value>(dynamicMember path: KeyPath<KeyCounts, Value>) -> Value {
    counts[keyPath: path]
  }

  /// What was learned of the key.
  public var habits: LearnedHabits.Key {
    get {
      LearnedHabits.Key(
        code, offset: offset, badFor: badFor, reach: reach, lateDropOuts: lateDropOuts)
    }
    set {
      (offset, badFor) = (newValue.offset, newValue.badFor)
      (reach, lateDropOuts) = (newValue.reach, newValue.lateDropOuts)
      isBridging = newValue.badFor != nil
    }
  }
}

/// In JSON the counts are on the same level as the name.
extension KeyStatus: Codable {
  private enum Field: CodingKey {
    case key, code, isBridging, offset, badFor, reach, lateDropOuts, badSince
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    key = try fields.decode(String.self, forKey: .key)
    code = try fields.decode(KeyCode.self, forKey: .code)
    isBridging = try fields.decode(Bool.self, forKey: .isBridging)
    offset = try fields.decode(in: LearnedHabits.offsets, forKey: .offset) ?? 0
    badFor = try fields.decode(in: LearnedHabits.badPresses, forKey: .badFor)
    reach = try fields.decode(in: LearnedHabits.reaches, forKey: .reach) ?? 0
    lateDropOuts = try fields.decode(in: LearnedHabits.lateDropOuts, forKey: .lateDropOuts) ?? 0
    badSince = try fields.decodeIfPresent(Day.self, forKey: .badSince)
    counts = try KeyCounts(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(key, forKey: .key)
    try fields.encode(code, forKey: .code)
    try fields.encode(isBridging, forKey: .isBridging)
    if offset != 0 { try fields.encode(offset, forKey: .offset) }
    try fields.encodeIfPresent(badFor, forKey: .badFor)
    if reach != 0 { try fields.encode(reach, forKey: .reach) }
    if lateDropOuts != 0 { try fields.encode(lateDropOuts, forKey: .lateDropOuts) }
    try fields.encodeIfPresent(badSince, forKey: .badSince)
    try counts.encode(to: encoder)
  }
}

extension KeyedDecodingContainer {
  /// Decodes a number, if there is one.
  ///
  /// - Throws: `DecodingError` if it is out of range: whoever wrote it was not this program.
  func decode<Number: Decodable & Comparable>(
    in range: ClosedRange<Number>, forKey key: Key
  ) throws -> Number? {
    guard let number = try decodeIfPresent(Number.self, forKey: key) else { return nil }
    guard range.contains(number) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "\(number) is not in \(range)")
    }
    return number
  }
}
