/// What was measured of a subject under a load, a value a round.
struct Result {
  /// Latencies in microseconds.
  var median: [Double] = []
  var high: [Double] = []
  var highest: [Double] = []
  /// All of them, for what is too rare for a round.
  private var all: [Int64] = []
  /// Time on a processor for each frame, in microseconds.
  var time: [Double] = []
  /// Calls of the kernel for each frame, by name.
  var calls: [(name: String, count: Double)] = []

  /// The latency that one frame in a thousand exceeds, of all rounds; `nil` of fewer than a thousand frames.
  var rare: Double? {
    all.count < 1000 ? nil : Double(all.sorted()[all.count * 999 / 1000])
  }

  mutating func add(_ play: Play, time: UInt64) {
    self.time.append(Double(time) / 1000 / Double(play.frames))
    let sorted = play.latencies.sorted()
    guard !sorted.isEmpty else { return }
    median.append(Double(sorted[sorted.count / 2]))
    high.append(Double(sorted[min(sorted.count - 1, sorted.count * 99 / 100)]))
    highest.append(Double(sorted[sorted.count - 1]))
    all += sorted
  }
}

extension [Double] {
  /// The middle one; `nil` if there is none.
  var median: Double? {
    isEmpty ? nil : sorted()[count / 2]
  }
}
