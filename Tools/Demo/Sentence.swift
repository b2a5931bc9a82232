import Debounce
import EventDevices
import TestMachine

/// What the worn keyboard is made to type.
enum Sentence {
  static let text = "see how well worn keys type"

  /// What goes wrong while a key is pressed.
  enum Fault {
    case none
    /// The contact bounces as the key goes down.
    case pressBounce
    /// It bounces twice as the key comes up.
    case releaseBounces
    /// It is lost for a moment while the key is held.
    case dropOut
  }

  /// The faults, at these letters of the text.
  private static let faults: [Int: Fault] = [
    1: .pressBounce,  // the first e of “see”; the second is meant
    5: .releaseBounces,  // o of “how”
    9: .dropOut,  // e of “well”, whose contact has shown itself to be bad
    12: .releaseBounces,  // the space before “worn”
    14: .pressBounce,  // o of “worn”
    18: .pressBounce,  // k
    19: .dropOut,  // e of “keys”
    24: .releaseBounces,  // y of “type”
  ]

  /// Types the sentence, faults and all.
  static func type(on hypervisor: Hypervisor) throws {
    for (index, letter) in text.enumerated() {
      let key = letter == " " ? "spc" : String(letter)
      switch faults[index, default: .none] {
      case .none:
        try hypervisor.type([(key, true)])
        pause(90)
        try hypervisor.type([(key, false)])
      case .pressBounce:
        try hypervisor.type([(key, true), (key, false), (key, true)])
        pause(110)
        try hypervisor.type([(key, false)])
      case .releaseBounces:
        try hypervisor.type([(key, true)])
        pause(90)
        try hypervisor.type([
          (key, false), (key, true), (key, false), (key, true), (key, false),
        ])
        pause(30)
      case .dropOut:
        try hypervisor.type([(key, true)])
        pause(80)
        try hypervisor.type([(key, false), (key, true)])
        pause(80)
        try hypervisor.type([(key, false)])
      }
      // Between the two letters of “ee” and “ll”: as fast as fingers do it.
      pause(80)
    }
  }

  private static func pause(_ milliseconds: Int64) {
    sleep(until: monotonicNow() + milliseconds * 1000)
  }

  /// The letters of the keys that go down.
  static func letters(of frames: [Frame]) -> String {
    let presses = frames.flatMap { frame in
      frame.events.filter { $0.type == EventType.key && $0.value == 1 }
    }
    return String(presses.map { characters[$0.code, default: "?"] })
  }

  /// The letters that key codes stand for on a keyboard with the usual layout.
  private static let characters: [KeyCode: Character] = {
    var characters: [KeyCode: Character] = [57: " "]
    for (first, row) in [(16, "qwertyuiop"), (30, "asdfghjkl"), (44, "zxcvbnm")] {
      for (index, letter) in row.enumerated() { characters[KeyCode(first + index)] = letter }
    }
    return characters
  }()
}
