import Debounce

/// The poll interval of a device, and whether it delivers several events at once.
///
/// A keyboard is polled at a fixed interval, and all times are multiples of it: gaps cannot be measured more finely, and
/// a threshold belongs between two of them. A wireless receiver that stalls and then delivers everything at once makes
/// any gap and hold look short, so that healthy keys seem to chatter (libinput exempts such mice from debouncing).
public struct LinkQuality: Equatable, Sendable, Codable {
  /// The poll intervals that are recognised, in milliseconds.
  static let candidates = [10, 8, 4, 2, 1]
  /// The least number of steps from which an interval is inferred.
  private static let leastSteps = 60
  /// Edges no further apart than this came together. Microseconds.
  private static let together: Microseconds = 200

  private var steps = 0
  /// The number of steps that were near a multiple of each candidate.
  private var fits = [Int](repeating: 0, count: candidates.count)

  private var last: Microseconds?
  /// The number of edges in the present moment, and whether they are of several keys.
  private var atOnce = 0
  private var firstKey: KeyCode = 0
  private var isMixed = false
  private var keyTwice = false

  /// The number of edges, and the time in which they came without pauses.
  public private(set) var edges = 0
  private var activeTime: Microseconds = 0
  /// The number of times that three or more edges of several keys came at once.
  public private(set) var bursts = 0
  /// The number of times that one key went down and up at once, which a polled keyboard cannot report.
  public private(set) var instantStrokes = 0

  private enum CodingKeys: String, CodingKey {
    case steps, fits, edges, activeTime, bursts, instantStrokes
  }

  public init() {}

  mutating func receive(_ key: KeyCode, at time: Microseconds) {
    edges += 1
    guard let last else {
      begin(key, at: time)
      return
    }
    let step = time - last
    guard step > Self.together else {
      atOnce += 1
      if key != firstKey { isMixed = true } else { keyTwice = true }
      return
    }
    endMoment()
    begin(key, at: time)
    guard step < 1_000_000 else { return }
    activeTime += step
    steps += 1
    for (index, candidate) in Self.candidates.enumerated() {
      let poll = Microseconds(candidate) * 1000
      let rest = (step + poll / 2) % poll - poll / 2
      if abs(rest) <= min(poll / 10, 250) { fits[index] += 1 }
    }
  }

  private mutating func begin(_ key: KeyCode, at time: Microseconds) {
    last = time
    atOnce = 1
    firstKey = key
    isMixed = false
    keyTwice = false
  }

  private mutating func endMoment() {
    if atOnce >= 3, isMixed { bursts += 1 }
    if keyTwice { instantStrokes += 1 }
  }

  /// The poll interval in milliseconds; `nil` if there is none, or too little is known yet.
  public var poll: Int? {
    guard steps >= Self.leastSteps else { return nil }
    return zip(Self.candidates, fits).first { $0.1 * 10 >= steps * 9 }?.0
  }

  /// Whether the link delivers so many edges at once that gaps and holds in free typing cannot be trusted.
  public var isBursty: Bool {
    guard edges >= 20 else { return edges >= 6 && instantStrokes * 2 >= edges / 2 }
    if instantStrokes >= 3, instantStrokes * 200 >= edges { return true }
    // The expected number of edges that fall into one poll interval by chance.
    let window = Double(poll ?? 1) * 1000
    let each = activeTime > 0 ? Double(edges) / Double(activeTime) * window : 0
    let expected = Double(edges) * each * each / 2
    let limit = 3 + 2 * expected + 3 * expected.squareRoot()
    return Double(bursts) > limit && bursts * 400 >= edges
  }

  /// Whether the counts can be genuine. They may have been read from an edited file.
  var isPlausible: Bool {
    fits.count == Self.candidates.count
      && ([steps, edges, bursts, instantStrokes] + fits).allSatisfy((0...KeyEvidence.most).contains)
      && activeTime >= 0 && activeTime < .max / 4
  }
}
