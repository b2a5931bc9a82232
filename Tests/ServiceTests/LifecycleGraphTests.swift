import Samples
import Testing

@testable import Service

/// The whole graph of the lifecycle, which is drawn in `docs/LIFECYCLE.md`. To draw it anew after a change, and look at what
/// has changed: `KEYDEBOUNCE_WRITE_FIXTURES=1 swift test --filter LifecycleGraphTests`.
@Suite("The graph of a device's lifecycle")
struct LifecycleGraphTests {
  @Test("keeps the device safe in every state that it can come to, and is drawn as it is")
  func whole() throws {
    let graph = LifecycleGraph()
    print("lifecycle: \(graph.nodes) states, in which \(graph.steps) things happen")
    if let violation = graph.violation { Issue.record("\(violation)") }
    #expect(Set(graph.edges.values.joined().map(\.from)).count == LifecycleDrawing.states.count)
    let text = LifecycleDrawing.text(of: graph)
    #expect(
      try text == fixture("../../docs/LIFECYCLE.md", rewrittenAs: text),
      "docs/LIFECYCLE.md is not the graph")
  }

  @Test("finds each deliberate mistake", arguments: LifecycleMutant.allCases)
  func mutants(_ mutant: LifecycleMutant) {
    let violation = LifecycleGraph(mutant).violation
    #expect(violation?.hasPrefix(mutant.fault) == true, "\(violation ?? "nothing") was found")
  }
}

/// The graph for people: a picture of what leads from one state to another, and a table of all that happens.
enum LifecycleDrawing {
  /// In the order in which a device comes to them.
  static let states = [
    "keeping", "awaitingClone", "awaitingReaders", "awaitingKeys", "busy", "forwarding",
    "leaving", "closed",
  ]

  /// What ends the lifecycle in every state: not in the picture.
  private static let ends = ["cloneFailed", "cloneIsElsewhere", "letGo", "unplugged"]

  static func text(of graph: LifecycleGraph) -> String {
    let edges = states.flatMap { state in
      graph.edges.values.joined().filter { $0.from == state }.sorted {
        ($0.happening, place(of: $0.to), $0.actions.count)
          < ($1.happening, place(of: $1.to), $1.actions.count)
      }
    }
    return """
      # The lifecycle of a device, as a graph

      Drawn by `Tests/ServiceTests/LifecycleGraphTests.swift`, which visits every state that `Service/Lifecycle` can come to
      from the start, has everything happen in it that can, and checks what must hold. What the states are stands in
      [ARCHITECTURE.md](ARCHITECTURE.md#the-lifecycle-of-a-device).

      `deadline` is the time at which the state ends by itself. A keyboard that was plugged in just now begins with `keeping`
      if udev is quick, any other device with `awaitingClone`. Not drawn: \(ends.map { "`\($0)`" }.joined(separator: ", ")),
      which lead from every state to `closed`.

      ```mermaid
      stateDiagram-v2
      \(picture(edges))
      ```

      What happens in which state, what follows, and what the owner must do; what changes nothing is left out.

      | in | when | then | to be done |
      |---|---|---|---|
      \(table(edges))

      """
  }

  private static func place(of state: String) -> Int {
    states.firstIndex(of: state) ?? states.count
  }

  private static func picture(_ edges: [LifecycleGraph.Edge]) -> String {
    var lines = ["  [*] --> keeping", "  [*] --> awaitingClone"]
    for from in states {
      for to in states where from != to {
        var labels: [String] = []
        for edge in edges where edge.from == from && edge.to == to {
          let label = edge.happening.replacing(":", with: "")
          if !ends.contains(edge.happening), !labels.contains(label) { labels.append(label) }
        }
        guard !labels.isEmpty else { continue }
        lines.append("  \(from) --> \(to): \(labels.joined(separator: ", "))")
      }
    }
    return (lines + ["  closed --> [*]"]).joined(separator: "\n")
  }

  private static func table(_ edges: [LifecycleGraph.Edge]) -> String {
    edges.filter { $0.from != $0.to || !$0.actions.isEmpty }.map { edge in
      let actions = edge.actions.map { text(of: $0) }.joined(separator: ", ")
      return "| \(edge.from) | \(edge.happening) | \(edge.to) | \(actions) |"
    }.joined(separator: "\n")
  }

  private static func text(of action: Lifecycle.Action) -> String {
    switch action {
    case .grab(releasingKeys: false): "grab"
    case .grab(releasingKeys: true): "release keys, grab"
    case .releaseKeysAndUngrab: "release keys, ungrab"
    case .ungrab: "ungrab"
    case .report(let report): "report \(report)"
    }
  }
}
