import Debounce

// What a stored measurement must satisfy to be resumed. An edited file may hold any number; none may crash the program
// or make it wait for ever.

extension KeyEvidence {
  /// The largest count of strokes, and of microseconds of typing, that is believed.
  static let most = 1_000_000_000

  var isPlausible: Bool {
    [uncounted, typedDoubles, askedDoubles].allSatisfy((0...Self.most).contains)
      && [typed, taps, holds].allSatisfy(\.isPlausible) && faults.isPlausible && test.isPlausible
  }
}

extension FaultRate {
  fileprivate var isPlausible: Bool {
    (0...KeyEvidence.most).contains(strokes) && (0...strokes).contains(faults)
  }
}

extension FaultCounts {
  fileprivate var isPlausible: Bool {
    [pressBounces, releaseBounces, dropOuts].allSatisfy((0...KeyEvidence.most).contains)
  }
}

extension GuidedSession.Effort {
  var isPlausible: Bool {
    [leastStrokes, enoughStrokes, taps, mostTaps, holds, doubles, suspects]
      .allSatisfy((1...KeyEvidence.most).contains)
      && [typing, beat, hold].allSatisfy((1...Microseconds(KeyEvidence.most)).contains)
  }
}
