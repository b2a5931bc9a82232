/// A day of the calendar (UTC), as `2026-11-22`: as exact as is told of when something was learned.
public struct Day: Hashable, Sendable {
  public let year: Int
  public let month: Int
  public let day: Int

  /// The day of a moment.
  ///
  /// - Parameter unixTime: Seconds since 1970.
  public init(unixTime: Int) {
    let seconds = 86_400
    // Counted from 1 March of the year 0: leap days are the last of their years, and years repeat after four centuries.
    let days = unixTime / seconds - (unixTime % seconds < 0 ? 1 : 0) + 719_468
    let century = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfCentury = days - century * 146_097
    let yearOfCentury =
      (dayOfCentury - dayOfCentury / 1460 + dayOfCentury / 36_524 - dayOfCentury / 146_096) / 365
    let dayOfYear = dayOfCentury - (365 * yearOfCentury + yearOfCentury / 4 - yearOfCentury / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfCentury + century * 400 + (month <= 2 ? 1 : 0)
  }

  /// The day that is written so; `nil` if this is none.
  public init?(_ text: String) {
    let fields = text.split(separator: "-", omittingEmptySubsequences: false)
    guard fields.map(\.utf8.count) == [4, 2, 2],
      fields.joined().utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let year = Int(fields[0]), let month = Int(fields[1]), let day = Int(fields[2]),
      (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }
}

extension Day: Comparable {
  public static func < (left: Day, right: Day) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }

  /// How many days it is after another one; negative if it is before.
  public func days(since other: Day) -> Int { number - other.number }

  /// How many days it is after the first of March of the year 0.
  private var number: Int {
    // As in `init(unixTime:)`, the other way round.
    let years = month <= 2 ? year - 1 : year
    let monthFromMarch = (month + 9) % 12
    return 365 * years + years / 4 - years / 100 + years / 400 + (153 * monthFromMarch + 2) / 5
      + day - 1
  }
}

extension Day: CustomStringConvertible {
  public var description: String {
    func padded(_ number: Int, _ digits: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }
}

extension Day: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let day = Day(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "no day of the form 2026-11-22")
    }
    self = day
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
