import Foundation

/// Whether tests run at length, as `make endurance` has them do: what repeats a promise in many variants, or for long, does so
/// there, and in a few every time.
public let isEndurance = ProcessInfo.processInfo.environment["KEYDEBOUNCE_ENDURANCE"] != nil
