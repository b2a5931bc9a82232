import Debounce
import Recording
import Testing

@Suite("What people have at hand when they ask for help")
struct ForeignFormTests {
  /// What is read, and what is said of it.
  private func read(
    _ text: String
  ) throws -> (name: String, moves: [String], notes: [String]) {
    var reader = reader(of: Array(text.utf8))
    var moves: [String] = []
    while let entry = try reader.next() {
      guard case .raw(let frame) = entry else { continue }
      for event in frame.events where event.type == EventType.key {
        moves.append("\(frame.time) \(event.code) \(event.value)")
      }
    }
    return (reader.device.identity.name, moves, reader.notes)
  }

  @Test("of libinput record: the first device, with its name and numbers")
  func libinputRecord() throws {
    let recording = try read(
      """
      # libinput record
      version: 1
      ndevices: 2
      libinput:
        version: "1.22.1"
      devices:
      - node: /dev/input/event3
        evdev:
          # Name: Worn keyboard
          name: "Worn keyboard"
          id: [3, 13364, 288, 273]
          codes:
            0: [0, 1, 2] # EV_SYN
            1: [1, 2, 30] # EV_KEY
          properties: []
        events:
        # Current time is 10:23:44
        - evdev:
          - [  0,      0,   4,   4,  458783] # EV_MSC / MSC_SCAN               458783
          - [  0,      0,   1,  36,       1] # EV_KEY / KEY_J                  1
          - [  0,      0,   0,   0,       0] # ------------ SYN_REPORT (0) ---------- +0ms
        - evdev:
          - [  1, 190391,   1,  36,       0] # EV_KEY / KEY_J                  0
          - [  1, 190391,   0,   0,       0] # ------------ SYN_REPORT (0) ---------- +1190ms
      - node: /dev/input/event4
        evdev:
          name: "Mouse"
        events:
        - evdev:
          - [  0,      0,   1, 272,       1] # EV_KEY / BTN_LEFT               1
          - [  0,      0,   0,   0,       0] # ------------ SYN_REPORT (0) ---------- +0ms
      """)
    #expect(recording.name == "Worn keyboard")
    #expect(recording.moves == ["0 36 1", "1190391 36 0"])
    #expect(recording.notes.count == 1 && recording.notes[0].contains("several devices"))
  }

  @Test("of evtest: the first device, where the lines of several runs stand in one file")
  func severalRuns() throws {
    func run(_ name: String, _ product: String, at seconds: Int, _ code: Int) -> String {
      """
      Input driver version is 1.0.1
      Input device ID: bus 0x3 vendor 0x3434 product \(product) version 0x111
      Input device name: "\(name)"
      Event: time \(seconds).000000, type 1 (EV_KEY), code \(code) (?), value 1
      Event: time \(seconds).000000, -------------- SYN_REPORT ------------

      """
    }
    let worn = run("Worn keyboard", "0x120", at: 1, 18)
    for other in [run("Mouse", "0x77", at: 2, 272), run("Worn keyboard 2", "0x120", at: 2, 18)] {
      let two = try read(worn + other + run("Worn keyboard", "0x120", at: 3, 18))
      #expect(two.name == "Worn keyboard")
      #expect(two.moves == ["1000000 18 1"])
      #expect(
        two.notes.count == 1 && two.notes[0].contains("a recording of another device begins here"))
    }
    let same = try read(worn + run("Worn keyboard", "0x120", at: 2, 19))
    #expect(same.moves == ["1000000 18 1", "2000000 19 1"] && same.notes == [])
  }

  @Test("of evemu: the first device, where recordings of several stand in one file")
  func severalRecordings() throws {
    for version in ["# EVEMU 1.3\n", ""] {
      let worn = version + "N: Worn keyboard\nE: 5.000000 0001 0012 1\nE: 5.000000 0000 0000 0\n"
      let mouse = version + "N: Mouse\nE: 0.000001 0001 0110 1\nE: 0.000001 0000 0000 0\n"
      let two = try read(worn + mouse)
      #expect(two.name == "Worn keyboard")
      #expect(two.moves == ["5000000 18 1"])
      let line = version.isEmpty ? 4 : 6
      #expect(
        two.notes.count == 1
          && two.notes[0].hasPrefix("test:\(line): a recording of another device begins here"))
    }
  }

  @Test("of evemu: all recordings of one device in a file, and says where times count on")
  func severalOfOne() throws {
    let head = "# EVEMU 1.3\nN: Worn keyboard\nI: 0003 3434 0120 0111\n# learned: 001e 0.002500\n"
    let run = head + "E: 5.000000 0001 0012 1\nE: 5.000000 0000 0000 0\n# closed: 5.500000\n"
    let three = try read(run + run + run)
    #expect(three.moves == ["5000000 18 1", "25000000 18 1", "45000000 18 1"])
    #expect(three.notes.map { String($0.prefix { $0 != " " }) } == ["test:9:", "test:16:"])
    #expect(three.notes.allSatisfy { $0.contains("another recording of the device begins here") })
    let many = try read(String(repeating: run, count: 21))
    #expect(many.notes.count == 20 && many.notes.allSatisfy { $0.contains("begins here") })
    // However many there are: to look through all notes for each would take hours.
    let more = try read(String(repeating: run, count: 100))
    #expect(more.moves.count == 100)
    #expect(more.notes == many.notes + ["test: further notes are left out"])
    // Of no device that is named, it is not known that the other is the same.
    #expect(throws: RecordingError.self) {
      try read(run + "E: 4.000000 0001 0012 0\nE: 4.000000 0000 0000 0\n")
    }
    // No time is later than there are times.
    let last = "N: A\nE: 99999999999.000000 0001 0012 1\nE: 99999999999.000000 0000 0000 0\n"
    #expect(throws: RecordingError.self) { try read(last + last) }
    // What is open in the end of one is left out.
    let cut = try read(head + "E: 5.000000 0001 0012 1\n" + run)
    #expect(cut.moves == ["25000000 18 1"] && cut.notes.count == 2)
  }

  @Test("goes on after a name that comes late, where there was none")
  func lateName() throws {
    let events = { (time: Int) in
      "E: \(time).000000 0001 0012 \(time % 2)\nE: \(time).000000 0000 0000 0\n"
    }
    let late = try read(events(5) + "N: Worn keyboard\n" + events(6))
    #expect(late.moves.count == 2 && late.notes.isEmpty)
  }

  @Test("of libinput record, which hides keys unless it is asked to show them")
  func hidden() throws {
    var text = "# libinput record\ndevices:\n- node: /dev/input/event3\n"
    for index in 0..<50 {
      text += "  - [ \(index), 0, 1, 30, \(1 - index % 2)] # EV_KEY / KEY_A\n"
      text += "  - [ \(index), 0, 0, 0, 0] # SYN_REPORT\n"
    }
    let recording = try read(text)
    #expect(recording.moves.count == 50)
    #expect(recording.notes.count == 1 && recording.notes[0].contains("--show-keycodes"))
  }

  @Test("of libinput debug-events: the device of the first key, rounded, and said to be so")
  func debugEvents() throws {
    let recording = try read(
      """
      > -event3   DEVICE_ADDED            AT Translated Set 2 keyboard      seat0 default group10 cap:k
      > -event5   POINTER_MOTION          +0.003s\t  0.13/  0.00 ( +1.00/ +0.00)
      > -event3   KEYBOARD_KEY            +1.190s\tKEY_J (36) pressed
      >  event3   KEYBOARD_KEY          2 +1.270s\tKEY_J (36) released
      > -event5   POINTER_BUTTON          +1.300s\tBTN_LEFT (272) pressed, seat count: 1
      """)
    #expect(recording.moves == ["1190000 36 1", "1270000 36 0"])
    #expect(recording.name == "AT Translated Set 2 keyboard")
    #expect(recording.notes.contains { $0.contains("rounds times to milliseconds") })
    #expect(recording.notes.contains { $0.contains("several devices") })
    let hidden = #expect(throws: RecordingError.self) {
      try read("-event3  KEYBOARD_KEY  +1.190s\t*** (-1) pressed")
    }
    #expect(hidden?.expected.contains("--show-keycodes") == true)
  }
}
