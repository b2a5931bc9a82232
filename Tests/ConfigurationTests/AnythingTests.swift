import Debounce
import Foundation
import Testing

@testable import Configuration

@Suite("Whatever a configuration file holds")
struct AnythingTests {
  /// What is wrong with it; nothing if nothing is.
  private func read(_ bytes: [UInt8]) -> [ConfigurationErrors.Problem] {
    do {
      var reader = TableReader(try TOMLDocument(file: "test", bytes: bytes))
      _ = reader.device(refining: Defaults())
      return reader.problemsInOrder
    } catch {
      return error.problems
    }
  }

  @Test("is read to its end or refused", arguments: ["desk-keyboard", "eager-defer", "mistakes"])
  func mutations(name: String) throws {
    let sample = try Array(
      Data(
        contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
          .deletingLastPathComponent().appending(path: "Fixtures/devices/\(name).toml")))
    var state = UInt64(20_240_607)
    func random(below limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    let pieces = [
      "[", "]", "\"", "'", "\"\"\"", "{", "}", "=", ".", "\n", "#", "\\", "é", "-", "[[",
    ]
    .map { Array($0.utf8) }
    for _ in 0..<400 {
      var bytes = sample
      for _ in 0..<random(below: 6) {
        let place = random(below: bytes.count)
        switch random(below: 3) {
        case 0: bytes.insert(contentsOf: pieces[random(below: pieces.count)], at: place)
        case 1: bytes.removeSubrange(place..<min(place + random(below: 9), bytes.count))
        default: bytes[place] = UInt8(random(below: 256))
        }
      }
      let problems = read(bytes)
      #expect(problems.allSatisfy { !$0.message.isEmpty })
    }
  }

  @Test(
    "may be nested as deep as it likes",
    arguments: [
      "a = " + String(repeating: "[", count: 100_000),
      "a = " + String(repeating: "{a = ", count: 100_000),
      "a" + String(repeating: ".a", count: 20_000) + " = 1",
      "[a" + String(repeating: ".a", count: 20_000) + "]",
    ])
  func depth(text: String) {
    #expect(!read(Array(text.utf8)).isEmpty)
  }
}
