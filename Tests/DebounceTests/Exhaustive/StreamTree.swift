import Debounce
import StrokeFixtures

/// All streams of raw edges on some keys, with intervals of a grid, up to a length: a tree, in which each node is a stream,
/// and what becomes of it is decided once for all streams that begin so.
struct StreamTree: Sendable {
  var keys: [KeyCode]
  var grid: Grid
  /// How many edges the longest streams have.
  var length: Int

  /// How many streams there are.
  static func count(keys: Int, times: Int, length: Int) -> Int {
    var (count, level) = (0, keys)
    for _ in 0..<length {
      count += level
      let (next, overflows) = level.multipliedReportingOverflow(by: keys * times)
      guard !overflows, next < 1 << 50 else { return .max }
      level = next
    }
    return count
  }

  var count: Int { Self.count(keys: keys.count, times: grid.times.count, length: length) }

  /// The tree with the longest streams of which there are no more than `most`, but for those of two edges.
  static func largest(_ keys: [KeyCode], _ grid: Grid, most: Int) -> StreamTree {
    largest(keys, grid) { $0.count <= most }
  }

  /// The tree with the longest streams that satisfies `predicate`, but for those of two edges.
  static func largest(
    _ keys: [KeyCode], _ grid: Grid, where predicate: (StreamTree) -> Bool
  ) -> StreamTree {
    var tree = StreamTree(keys: keys, grid: grid, length: 2)
    while tree.length < 24 {
      var longer = tree
      longer.length += 1
      guard predicate(longer) else { break }
      tree = longer
    }
    return tree
  }

  /// Calls `body` with each stream, an engine that has processed it, and what that has emitted, until it returns `false`.
  func forEach<Engine: Subject>(
    _ engine: Engine,
    _ body: @escaping (_ stream: Stream, _ engine: Engine, _ emitted: [Frame]) -> Bool
  ) {
    var walk = Walk(tree: self, body: body)
    _ = walk.go(on: engine, emitted: [], down: 0)
  }

  private struct Walk<Engine: Subject> {
    let tree: StreamTree
    let body: (Stream, Engine, [Frame]) -> Bool
    var stream = Stream(frames: [])

    mutating func go(on engine: Engine, emitted: [Frame], down: UInt8) -> Bool {
      let number = stream.frames.count
      // The first edge has nothing before it.
      for interval in number == 0 ? [0] : tree.grid.times {
        let time = (stream.frames.last?.time ?? 0) + interval
        for (index, key) in tree.keys.enumerated() {
          let bit = UInt8(1) << UInt8(index)
          let frame = Self.frame(key, down: down & bit == 0, number: number, at: time)
          var next = engine
          let emitted = emitted + next.process(frame)
          stream.frames.append(frame)
          guard body(stream, next, emitted) else { return false }
          if number + 1 < tree.length {
            guard go(on: next, emitted: emitted, down: down ^ bit) else { return false }
          }
          stream.frames.removeLast()
        }
      }
      return true
    }

    /// An edge with a scan code, as keyboards send it, and every other one with something that is no key.
    private static func frame(
      _ key: KeyCode, down: Bool, number: Int, at time: Microseconds
    ) -> Frame {
      let number32 = Int32(number)
      let events: [Event] = [.scan(number32), .key(key, down: down)]
      return Frame(time: time, number % 2 == 0 ? events : events + [.motion(number32)])
    }
  }
}
