import Control
import Debounce
import EventDevices
import Glibc
import Status
import SystemPackage
import TestMachine
import Testing

extension EndToEnd {
  @Suite("The daemon's socket")
  struct ControlTests {
    @Test("root may call everything, members what tells nothing of keys, and nobody else connects")
    func rights() throws {
      try ControlConnection.makeGroup()
      let desk = try Desk()
      #expect(try desk.application.moves(of: .stroke(30), on: desk.keyboard) == .stroke(30))
      #expect(throws: Errno.permissionDenied) { try ControlConnection(as: .stranger) }
      for user in [ControlConnection.User.root, .member] {
        let connection = try ControlConnection(as: user)
        for method in ControlMethod.allCases {
          var parameters: [String: ControlValue] = [:]
          if method.parameters.contains(where: { $0.name == "device" }) {
            parameters["device"] = .text(desk.keyboard.path)
          }
          let answer = try #require(
            try connection.call(method, parameters, upgrade: method == .watch))
          let isAllowed = user == .root || method.isForGroup
          #expect(
            answer.error == (isAllowed ? nil : ControlRefusal.notAllowed.fullName),
            "\(user), \(method)")
        }
      }
      // What the member paused and resumed is debounced.
      #expect(try DaemonClient.statusNow().devices.map(\.pause) == [nil])
    }

    @Test("errors say what is wrong: a device that is not held, a key that it does not have")
    func errors() throws {
      let desk = try Desk()
      var client = try DaemonClient()
      let other = "/dev/input/event99"
      #expect(throws: ControlError.notHeld(other)) { try client.resume(other) }
      #expect(throws: ControlError.notHeld(other)) { _ = try client.history(of: other) }
      for key in ["KEY_NOTHING", "BTN_LEFT"] {
        #expect(throws: ControlError.noSuchKey(key, device: desk.keyboard.path)) {
          try client.reset(desk.keyboard.path, key: key)
        }
      }
      #expect(try desk.application.moves(of: .stroke(18), on: desk.keyboard) == .stroke(18))
      #expect(try DaemonClient.statusNow().devices[0].keys.contains { $0.code == 18 })
      try client.reset(desk.keyboard.path, key: "KEY_E")
      #expect(try !DaemonClient.statusNow().devices[0].keys.contains { $0.code == 18 })
    }

    @Test("what a terminal sends to stop a job does not stop the daemon, nor freeze a keyboard")
    func stopSignals() throws {
      let desk = try Desk()
      for signal in [SIGTSTP, SIGTTIN, SIGTTOU] {
        desk.daemon.signal(signal)
        #expect(try desk.application.moves(of: .stroke(30), on: desk.keyboard) == .stroke(30))
        #expect(try DaemonClient.statusNow().devices.map(\.state) == [.debounced])
      }
      #expect(desk.console.framesAtHand().isEmpty, "the keyboard is read past the daemon")
    }
  }
}
