/// What was measured of how people type.
///
/// Aggregates of the 136 million keystrokes of Dhakal et al., "Observations on Typing from 136 Million
/// Keystrokes" (CHI 2018): 2329 of its people, of whom 911 had a clock fine enough for the percentiles.
/// Laws in milliseconds.
public enum MeasuredTyping {
  /// How long a key is down that is no modifier. People's medians (5, 50, 95 %): 80, 111, 149.
  public static let hold = PercentileLaw(
    [
      0.1: 16, 0.5: 37, 1: 44, 2: 51, 5: 60, 10: 69, 25: 87, 50: 110, 75: 136, 90: 164, 95: 183,
      99: 227, 99.9: 346,
    ], shareBetween: 0.30, spreadOfSpreads: 0.166)

  /// From the release to the press of a letter that is typed twice. People's medians: 55, 78, 104.
  public static let doubleGap = PercentileLaw(
    [
      0.1: 12, 0.5: 22, 1: 31, 2: 35, 5: 46, 10: 52, 25: 63, 50: 78, 75: 94, 90: 113, 95: 154,
      99: 505.6, 99.9: 1115.9,
    ], shareBetween: 0.355, spreadOfSpreads: 0.336)

  /// How long the first of two such presses is held.
  public static let doubleFirstHold = PercentileLaw(
    [
      0.1: 16, 0.5: 31, 1: 36, 2: 40.8, 5: 48, 10: 54, 25: 65, 50: 80, 75: 98, 90: 117, 95: 131,
      99: 161, 99.9: 275.8,
    ], shareBetween: 0.30, spreadOfSpreads: 0.166)

  /// How long the second one is held.
  public static let doubleSecondHold = PercentileLaw(
    [
      0.1: 16.2, 0.5: 39, 1: 43, 2: 49, 5: 56, 10: 64, 25: 78, 50: 96, 75: 118, 90: 139, 95: 154,
      99: 190, 99.9: 248.8,
    ], shareBetween: 0.30, spreadOfSpreads: 0.166)

  /// From release to press of Backspace in a run.
  public static let backspaceGap = PercentileLaw(
    [
      0.1: 8, 0.5: 21.2, 1: 31, 2: 32, 5: 46, 10: 52, 25: 65, 50: 80, 75: 99, 90: 147, 95: 284.8,
      99: 786.7, 99.9: 2559.1,
    ], shareBetween: 0.355, spreadOfSpreads: 0.336)

  /// How long Backspace is held in a run.
  public static let backspaceHold = PercentileLaw(
    [
      0.1: 12, 0.5: 26, 1: 33, 2: 37, 5: 45, 10: 53, 25: 63, 50: 77, 75: 95, 90: 115, 95: 130,
      99: 184.5, 99.9: 855.8,
    ], shareBetween: 0.30, spreadOfSpreads: 0.166)

  /// From release to press of a key with one other key between: "eve".
  public static let returnGap = PercentileLaw([
    0.1: 23, 0.5: 48, 1: 57, 2: 67, 5: 83, 10: 102, 25: 152, 50: 266, 75: 480, 95: 1141, 99: 1953,
  ])

  /// How long Shift is down.
  public static let shiftHold = PercentileLaw([5: 128, 50: 255, 95: 814])

  /// From the release of Shift to the next press: the time a release of Shift may be late without
  /// changing what is typed. Measured up to 50 ms; what lies above is a guess.
  public static let afterShift = PercentileLaw([
    0.5: 1, 2.0: 5, 2.6: 10, 3.2: 15, 5.1: 20, 5.9: 25, 6.5: 30, 9.7: 40, 13.4: 50, 50: 130,
    95: 500,
  ])

  /// Correlations of the logarithms of a double's gap and holds.
  public static let gapAndFirstHold = -0.13
  public static let gapAndSecondHold = -0.19
  public static let firstAndSecondHold = 0.39

  /// The share of presses that repeat the letter before.
  public static let doubleShare = 0.0177
  /// The share of presses that repeat Backspace.
  public static let backspaceRepeatShare = 0.048 - doubleShare

  /// From press to press of different keys: people's medians (5, 50, 95 %): 105, 171, 309.
  static let interval = Lognormal(median: 171, spread: 0.33)
  /// The spread within a person.
  static let intervalSpread = 0.56

  /// The share of pairs of keys that overlap, by person.
  static let rolloverShare = PercentileLaw([5: 0.01, 25: 0.08, 50: 0.18, 75: 0.31, 95: 0.54])
  /// By how much they overlap.
  static let overlap = Lognormal(median: 37, spread: 0.56, in: 2...200)
}
