import EventDevices
import Foundation
import Randomness
import TestMachine
import Testing
import TypingModel

extension EndToEnd {
  @Suite("Every call that can fail")
  struct FaultTests {
    /// How many of them fail in a usual run, each in a session of its own. `KEYDEBOUNCE_FAULTS` names others: `all`,
    /// or functions and single calls, as `read,write:3:0`. `KEYDEBOUNCE_FAULT_SEED` chooses which, and why they fail.
    private static let usual = isEndurance ? 200 : 10

    @Test("ends in a handled error, with the keyboard free")
    func faults() throws {
      let environment = ProcessInfo.processInfo.environment
      let seed =
        environment["KEYDEBOUNCE_FAULT_SEED"].flatMap(UInt64.init) ?? .random(in: 0..<1_000_000)
      let session = try FaultSession()
      let healthy = try session.run(nil)
      #expect(healthy.complaints.isEmpty && healthy.status == 0, "\(healthy)")
      let calls = Dictionary(grouping: healthy.calls) { $0 }.mapValues(\.count)
      // Two devices were grabbed and given back.
      try #require(calls["EVIOCGRAB", default: 0] >= 4, "\(calls) \(healthy)")

      let all = calls.sorted { $0.key < $1.key }.flatMap { function, count in
        (1...count).map { number in
          Fault(function: String(function), number: number, reason: number + Int(seed))
        }
      }
      let chosen = choose(from: all, environment["KEYDEBOUNCE_FAULTS"], seed)
      print("faults: \(chosen.count) of \(all.count) calls, KEYDEBOUNCE_FAULT_SEED=\(seed)")
      if chosen.count > Self.usual {
        for (function, count) in calls.sorted(by: { $0.key < $1.key }) {
          print("faults: \(function) is called \(count) times")
        }
      }
      try #require(!chosen.isEmpty)
      var missed = 0
      for fault in chosen {
        let outcome = try session.run(fault)
        if !outcome.wasReached { missed += 1 }
        print("faults: \(fault)\(outcome.wasReached ? "" : " (not reached)"): \(outcome)")
        #expect(outcome.complaints.isEmpty, "\(fault): \(outcome)\n\(outcome.log)")
        let isSilent = outcome.lines.isSubset(of: healthy.lines)
        // A message that could not be written cannot be read.
        #expect(
          outcome.status == 0 || !isSilent || fault.function.hasPrefix("write"),
          "\(fault): ended without a word of why")
      }
      // No two runs make quite the same calls; but most of them are the same.
      #expect(missed * 2 <= chosen.count, "\(missed) of \(chosen.count) calls were not made again")
    }

    /// The faults that are tried: those that are wished for, or as many as is usual.
    private func choose(from all: [Fault], _ wish: String?, _ seed: UInt64) -> [Fault] {
      guard let wish else {
        var random = SeededRandom(seed: seed)
        return Array(all.shuffled(using: &random).prefix(Self.usual))
      }
      let wishes = wish.split(separator: ",")
      return wish == "all"
        ? all : all.filter { wishes.contains($0.function[...]) } + wishes.compactMap { Fault($0) }
    }
  }
}
