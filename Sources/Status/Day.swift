import Glibc

/// A day of the calendar (UTC), such as `2026-11-22`. No file and no status says more exactly when something was learned.
public struct Day: RawRepresentable, Codable, Hashable, Comparable, CustomStringConvertible,
  Sendable
{
  public let rawValue: String

  public init(unixTime: Int) {
    var (seconds, date) = (time_t(unixTime), tm())
    gmtime_r(&seconds, &date)
    func padded(_ number: CInt, _ digits: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    rawValue =
      "\(padded(date.tm_year + 1900, 4))-\(padded(date.tm_mon + 1, 2))-\(padded(date.tm_mday, 2))"
  }

  /// The day that is written as `2026-11-22`; `nil` if the text is no day.
  public init?(rawValue text: String) {
    guard text.utf8.count == 10, let seconds = Self.seconds(of: text) else { return nil }
    self.init(unixTime: seconds)
    guard rawValue == text else { return nil }
  }

  public init?(_ text: String) { self.init(rawValue: text) }

  public var description: String { rawValue }

  public static func < (left: Day, right: Day) -> Bool { left.rawValue < right.rawValue }

  /// How many days it is after another one; negative if it is before.
  public func days(since other: Day) -> Int {
    ((Self.seconds(of: rawValue) ?? 0) - (Self.seconds(of: other.rawValue) ?? 0)) / 86_400
  }

  /// The beginning of a day, in seconds since 1970.
  private static func seconds(of text: String) -> Int? {
    let fields = text.split(separator: "-").compactMap { CInt($0) }
    guard fields.count == 3 else { return nil }
    var date = tm()
    (date.tm_year, date.tm_mon, date.tm_mday) = (fields[0] - 1900, fields[1] - 1, fields[2])
    return timegm(&date)
  }
}
