/// What was measured of a subject under a load, a value a round.
struct Result {
  /// Latencies in microseconds.
  var median: [Double] = []
  var high: [Double] = []
  var highest: [Double] = []
  /// Time on a processor for each frame, in microseconds.
  var time: [Double] = []
  /// Calls of the kernel for each frame, by name.
  var calls: [(name: String, count: Double)] = []

  mutating func add(_ play: Play, time: UInt64) {
    self.time.append(Double(time) / 1000 / Double(play.frames))
    let sorted = play.latencies.sorted()
    guard !sorted.isEmpty else { return }
    median.append(Double(sorted[sorted.count / 2]))
    high.append(Double(sorted[min(sorted.count - 1, sorted.count * 99 / 100)]))
    highest.append(Double(sorted[sorted.count - 1]))
  }
}

extension [Double] {
  /// The middle one; `nil` if there is none.
  var median: Double? {
    isEmpty ? nil : sorted()[count / 2]
  }
}
