import Foundation
import Glibc
import TestMachine
import Testing

extension Installed {
  @Suite("Somebody types on the console")
  struct TypingTests {
    @Test("on a worn keyboard, and the shell receives clean text")
    func clean() throws {
      let console = try Console()
      try console.checkDebounced("worn keys type clean text")
    }

    @Test("and without the service it does not: what the tests play is chatter")
    func withoutService() throws {
      let console = try Console()
      try Unit.keydebounce.order("stop")
      try console.checkLeftAlone()
      try Unit.keydebounce.order("start")
      try console.checkDebounced()
    }

    @Test(
      "Shift held while the service does something: nothing is stuck",
      arguments: [
        ["reload"], ["restart"], ["stop", "start"],
      ])
    func held(meanwhile orders: [String]) throws {
      let console = try Console()
      try console.waitUntilDebounced()
      try console.hold(["shift"])
      for order in orders { try Unit.keydebounce.order(order) }
      try console.hold(["shift"], down: false)
      try console.checkDebounced()
      try wait(for: "all keys to come up") { try console.countKeysDown() == 0 }
    }

    @Test("keyboards are plugged in and out under the sandbox")
    func hotplug() throws {
      let console = try Console()
      for _ in 0..<2 {
        let other = try Console(console.hypervisor)
        try other.waitUntilDebounced()
      }
      try console.checkDebounced()
    }
  }
}
