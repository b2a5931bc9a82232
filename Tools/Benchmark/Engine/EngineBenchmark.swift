import ArgumentParser
import Debounce

@main
struct EngineBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchmark-engine",
    abstract: "Measure how many events a second the engine decides on, with each strategy.",
    discussion: """
      The floor is a loop that passes the same frames on without deciding anything. An event is what the kernel calls \
      one: a key's frame has three.
      """)

  @Option(help: "How often each is measured; the median counts.")
  var rounds = 5

  @Option(help: "How many frames are processed in a round.")
  var frames = 2_000_000

  @Option(help: "Process the frames with this strategy once, and print nothing: for a profiler.")
  var only: String?

  @Flag(help: "Print the strategies' names, and measure nothing.")
  var names = false

  func run() throws {
    if names {
      for contender in Contender.all { print(contender.name) }
      return
    }
    let frames = Typing.frames(4096)
    if let only {
      guard let contender = Contender.all.first(where: { $0.name == only }) else {
        throw ValidationError("no strategy “\(only)”")
      }
      _ = contender.process(frames, count: self.frames)
      return
    }
    var times = Contender.all.map { _ in [Duration]() }
    for _ in 0..<rounds {
      for (index, contender) in Contender.all.enumerated() {
        let time = ContinuousClock().measure {
          _ = contender.process(frames, count: self.frames)
        }
        times[index].append(time)
      }
    }
    let medians = times.map { $0.sorted()[$0.count / 2] }
    print("strategy             million events/s   time, ratio to the floor")
    for (contender, time) in zip(Contender.all, medians) {
      let rate = Double(3 * self.frames) / (time / .seconds(1)) / 1e6
      let name = contender.name + String(repeating: " ", count: 20 - contender.name.count)
      print(name, Self.column(rate, 16), Self.column(time / medians[0], 26))
    }
  }

  /// A number with two digits after the point.
  private static func column(_ value: Double, _ width: Int) -> String {
    let hundredths = Int((value * 100).rounded())
    let text = "\(hundredths / 100).\(hundredths % 100 / 10)\(hundredths % 10)"
    return String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
