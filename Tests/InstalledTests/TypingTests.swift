import Foundation
import Glibc
import TestMachine
import Testing

extension Installed {
  @Suite("Somebody types on the console")
  struct TypingTests {
    @Test(
      "Shift held while the service does something: nothing is stuck",
      arguments: ["reload", "restart"])
    func held(meanwhile order: String) throws {
      let console = try Console()
      try console.waitUntilDebounced()
      try console.hold(["shift"])
      try Unit.keydebounce.order(order)
      try console.hold(["shift"], down: false)
      try console.checkDebounced()
      try wait(for: "all keys to come up") { try console.countKeysDown() == 0 }
    }
  }
}
