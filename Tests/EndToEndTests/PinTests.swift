import CEvdev
import Configuration
import Debounce
import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

/// Whether this machine has the buttons of `Tools/VirtualMachine/pins.dts`: `make pins` says so to those it starts.
private let hasPins = ProcessInfo.processInfo.environment["KEYDEBOUNCE_PINS"] != nil

extension EndToEnd {
  /// The kernel's own driver `gpio-keys` waits until a pin has been quiet for an interval before it reports its button. What
  /// bounces more slowly than that, it reports.
  @Suite("A button on a pin", .serialized, .enabled(if: hasPins, "needs pins: make pins"))
  struct PinTests {
    struct Button: CustomTestStringConvertible {
      let name: String
      let pin: Int
      /// The interval of the driver's, in the device tree or by default.
      let interval: Microseconds

      var testDescription: String { name }

      static let all = [
        Button(name: "button@1b", pin: 27, interval: 0),
        Button(name: "button@11", pin: 17, interval: 5000),
        Button(name: "button@16", pin: 22, interval: 25000),
      ]
    }

    /// How long the contact is open or closed when it bounces.
    enum Chatter: Microseconds, CaseIterable {
      case quick = 2000
      case slow = 12000
    }

    private static let code = KeyCode(KEY_PLAYPAUSE)

    /// Has the kernel find the chip and the buttons, and waits for one of them.
    private func node(of button: Button) throws -> String {
      let modprobe = try Command(program: "/sbin/modprobe", ["--all", "gpio-sim", "gpio-keys"])
      try #require(modprobe.status == 0, "\(modprobe.errors)")
      return try Monitor().waitForNode { $0.name == button.name && !$0.isClone }.path
    }

    private struct Contact {
      let time: Microseconds
      let isClosed: Bool
    }

    /// The bounces of a contact that closes, or opens, at `start`.
    private func bounces(_ chatter: Chatter, at start: Microseconds, closing: Bool) -> [Contact] {
      (0..<5).map {
        Contact(
          time: start + Microseconds($0) * chatter.rawValue,
          isClosed: $0.isMultiple(of: 2) == closing
        )
      }
    }

    /// A press that lasts `length` from the first contact to the first of the last bounces.
    private func stroke(
      _ chatter: Chatter, at start: Microseconds = 0, lasting length: Microseconds = 90_000
    ) -> [Contact] {
      bounces(chatter, at: start, closing: true)
        + bounces(chatter, at: start + length, closing: false)
    }

    /// A single, a double and a long press, each with what it is to mean.
    private func gestures(_ chatter: Chatter) -> [(contacts: [Contact], strokes: Int, key: CInt)] {
      var long = stroke(chatter, lasting: 900_000)
      // The contact drops out while the button is held.
      long.insert(
        contentsOf: [
          Contact(time: 300_000, isClosed: false),
          Contact(time: 300_000 + chatter.rawValue, isClosed: true),
        ], at: 5)
      return [
        (stroke(chatter), 1, KEY_PLAYPAUSE),
        (stroke(chatter) + stroke(chatter, at: 220_000), 2, KEY_NEXTSONG),
        (long, 1, KEY_STOP),
      ]
    }

    /// Presses the button, and once more without bounces when all is decided.
    ///
    /// - Returns: The moves of keys that an application reads before those of the last stroke. Who bounces late, because this
    ///   machine was busy, bounces again.
    private func press(
      _ pin: Pin, _ contacts: [Contact], _ application: EventReader
    ) throws -> [Event] {
      let end = (contacts.last?.time ?? 0) + 400_000
      let mark = [
        Contact(time: end, isClosed: true), Contact(time: end + 100_000, isClosed: false),
      ]
      for _ in 0..<10 {
        let start = monotonicNow() + 2000
        var isInTime = true
        var last: Microseconds = 0
        for contact in contacts + mark {
          sleep(until: start + contact.time)
          last = monotonicNow()
          try pin.connect(contact.isClosed)
          isInTime = isInTime && monotonicNow() - start - contact.time < 1000
        }
        let frames = try application.frames {
          $0.time >= last && $0.events.contains(.key(Self.code, down: false))
        }
        // The next gesture is none of this one's.
        sleep(until: last + 400_000)
        if isInTime { return keyMoves(frames).dropLast(2) }
      }
      throw WaitedInVain(description: "this machine is too busy to let a contact bounce")
    }

    @Test(
      "the kernel waits until it is quiet, and reports what bounces more slowly",
      arguments: Button.all, Chatter.allCases)
    func kernel(button: Button, chatter: Chatter) throws {
      let application = try EventReader(path: try node(of: button))
      let pin = try Pin(button.pin)
      var said: [String] = []
      for gesture in gestures(chatter) {
        let moves = try press(pin, gesture.contacts, application)
        let presses = moves.count { $0.value == 1 }
        said.append("\(presses) of \(gesture.strokes)")
        #expect(moves.count == 2 * presses)
        if chatter.rawValue < button.interval {
          #expect(presses == gesture.strokes)
        } else {
          #expect(presses > gesture.strokes)
        }
      }
      say(button, chatter, "presses of the kernel's: \(said.joined(separator: ", "))")
    }

    @Test(
      "debounced by the device file that is shipped, it has a single, a double and a long press",
      arguments: Button.all, Chatter.allCases)
    func debounced(button: Button, chatter: Chatter) throws {
      let node = try node(of: button)
      let pin = try Pin(button.pin)
      let folder = try ConfigurationFolder()
      let example = DaemonProcess.fixtures + "/../configuration/examples/pin-button.toml"
      let settings = try String(contentsOfFile: example, encoding: .utf8)
      try folder.write(
        device: "pin-button.toml", settings.replacing("\"button@11\"", with: "\"\(button.name)\""))
      let daemon = try DaemonProcess(["--config", folder.path])
      let application = try EventReader(path: daemon.waitForClone(of: node))
      var said: [String] = []
      for gesture in gestures(chatter) {
        let moves = try press(pin, gesture.contacts, application)
        let key = KeyCode(gesture.key)
        #expect(moves == .stroke(key))
        said += moves.filter { $0.value == 1 }.map { KeyNames.name(of: $0.code) }
      }
      say(button, chatter, "debounced: \(said.joined(separator: ", "))")
      #expect(try daemon.end() == 0)
    }

    private func say(_ button: Button, _ chatter: Chatter, _ what: String) {
      print(
        "pins: \(button.name), interval \(button.interval / 1000) ms, bounces of",
        "\(chatter.rawValue / 1000) ms: \(what)")
    }
  }
}
