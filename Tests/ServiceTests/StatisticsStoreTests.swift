import Debounce
import Dispatch
import EventDevices
import Foundation
import Glibc
import Samples
import Status
import Testing

@testable import Service

@Suite("Where counts are read and stored")
struct StatisticsTests {
  @Test("A damaged file is reported once, however often its device is plugged in, and each one")
  func reportedOnce() throws {
    let files = try Folder()
    let folder = files.path
    let devices = ["Desk", "Lap"].map { CountedDevice(DeviceIdentity(name: $0)) }
    for device in devices {
      try "{".write(
        toFile: "\(folder)/\(device.fileName(StoredCounts.suffix))", atomically: false,
        encoding: .utf8)
    }
    let notebook = Notebook()
    let background = try Background(folder: folder, log: notebook.logger)
    for _ in 0..<3 {
      for device in devices { background.read(device) }
    }
    #expect(background.isReading)
    background.finish()
    let read = background.takeFound().map { found -> CountedDevice? in
      if case .earlier(let device, _) = found { device } else { nil }
    }
    #expect(read == [devices, devices, devices].flatMap(\.self))
    #expect(!background.isReading)
    #expect(notebook.lines.count == 2)
    for device in devices {
      #expect(notebook.lines.count { $0.contains(device.fileName(StoredCounts.suffix)) } == 1)
    }
  }

  @Test("What was learned of a device is read while others are being closed")
  func readWhileClosing() throws {
    let background = try Background(folder: nil, log: Notebook().logger)
    let mayGoOn = DispatchSemaphore(value: 0)
    background.close { mayGoOn.wait() }
    defer { mayGoOn.signal() }
    background.read(CountedDevice(DeviceIdentity(name: "Desk")))
    var state = pollfd(fd: background.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&state, 1, 10_000) == 1)
    #expect(background.takeFound().count == 1)
  }

  @Test("The disk is behind where far more waits than it ever leaves, until that is done")
  func behind() throws {
    // Where no counts are kept, nothing waits for the worker at the end.
    let files = try Folder()
    let background = try Background(folder: files.path, log: Notebook().logger)
    let mayGoOn = DispatchSemaphore(value: 0)
    background.add { _ in mayGoOn.wait() }
    for _ in 1...255 { background.add { _ in } }
    #expect(!background.isBehind)
    for _ in 1...255 { background.add { _ in } }
    #expect(background.isBehind)
    mayGoOn.signal()
    background.finish()
    #expect(!background.isBehind)
  }

  @Test("Who has something dropped that the disk keeps is told so, and when it is gone")
  func refusedReset() throws {
    let files = try Folder()
    let folder = files.path
    let (desk, notebook) = (CountedDevice(DeviceIdentity(name: "Desk")), Notebook())
    let store = StatisticsStore(folder: folder)
    let keys = [18, 19].map { (code: KeyCode) in
      KeyStatus(key: "KEY_\(code)", code: code, counts: KeyCounts())
    }
    try store.store(StoredCounts(of: desk.identity, keys: keys), of: desk)
    let server = try ControlServer(in: "/nowhere")
    let background = try Background(folder: folder, log: notebook.logger)
    func reset() {
      background.reset(18, of: desk, for: ControlledCall(number: 1, server: server))
      background.finish()
    }
    // What is in the way of a new file is in root's way, too.
    let obstacle = "\(folder)/.\(desk.fileName(StoredCounts.suffix)).new"
    #expect(mkdir(obstacle, 0o700) == 0)
    reset()
    #expect(store.counts(of: desk).counts?.keys.map(\.code) == [18, 19])
    #expect(rmdir(obstacle) == 0)
    reset()
    #expect(store.counts(of: desk).counts?.keys.map(\.code) == [19])
    let answers = server.answers.takeAll().map { "\($0.answer)" }
    #expect(answers.count == 2 && answers.last == "done")
    let problem = try #require(notebook.lines.first)
    #expect(problem.hasPrefix("cannot write the counts in \(folder)/") && notebook.lines.count == 1)
    #expect(answers.first?.hasSuffix("notStored, \"\(problem)\")") == true)
  }
}

/// Calls `body` with a store and its folder, which is gone afterwards.
func withStore(_ body: (StatisticsStore, String) throws -> Void) throws {
  let folder = try Folder()
  try body(StatisticsStore(folder: folder.path), folder.path)
}

func names(in folder: String) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: folder)
}

@Suite("Where counts are kept")
struct StatisticsStoreTests {
  private let desk = CountedDevice(
    DeviceIdentity(
      name: "Desk", bus: 3, vendor: 0x3434, product: 0x120, version: 1, phys: "usb-1/input0",
      uniq: "0042"))

  private let oneStroke: KeyDay = {
    var day = KeyDay()
    day.strokes = 1
    return day
  }()

  private func counts(strokes: UInt32, badFor: Int? = nil) -> StoredCounts {
    var counts = KeyCounts()
    counts.strokes = strokes
    var bad = KeyStatus(key: "KEY_E", code: 18, counts: counts)
    bad.habits = LearnedHabits.Key(18, offset: -1500, badFor: badFor)
    var stored = StoredCounts(
      // Where it is plugged in is not stored.
      of: DeviceIdentity(name: "Desk", bus: 3, vendor: 0x3434, product: 0x120),
      keys: [bad, KeyStatus(key: "KEY_R", code: 19, counts: counts)])
    stored.usualHold = 81_000
    return stored
  }

  @Test("What is kept of a device comes back, wherever it is plugged in and whatever its version")
  func roundTrip() throws {
    try withStore { store, _ in
      #expect(store.counts(of: desk).counts == nil)
      try store.store(counts(strokes: 3), of: desk)
      try store.store(counts(strokes: 4, badFor: 900), of: desk)
      var moved = desk.identity
      moved.phys = "usb-0000:00:14.0-2/input0"
      moved.version = 7
      let earlier = store.counts(of: CountedDevice(moved))
      #expect(earlier.counts == counts(strokes: 4, badFor: 900) && earlier.problems.isEmpty)
      moved.phys = "usb-1/input1"
      #expect(store.counts(of: CountedDevice(moved)).counts == nil)
      moved = desk.identity
      moved.uniq = "0043"
      #expect(store.counts(of: CountedDevice(moved)).counts == nil)
    }
  }

  @Test("The file has the name that it always had")
  func fileName() {
    #expect(desk.fileName(StoredCounts.suffix) == "0003-3434-0120-074d81ea76a3fdaa.counts.json")
  }

  @Test(
    "What is damaged, not followed or not read is left as it is and named, and ours stands beside it",
    arguments: ["", "{", "{\"format\":1}", "too long", "link", "folder", "pipe"])
  func unusable(kind: String) throws {
    try withStore { store, folder in
      let path = folder + "/" + desk.fileName(StoredCounts.suffix)
      let text = kind == "too long" ? String(repeating: "x", count: StoredCounts.longest + 1) : kind
      let isText = !["link", "folder", "pipe"].contains(kind)
      switch kind {
      case "link": #expect(symlink("/etc/hostname", path) == 0)
      case "folder": #expect(mkdir(path, 0o700) == 0)
      case "pipe": #expect(mkfifo(path, 0o600) == 0)
      default: try text.write(toFile: path, atomically: true, encoding: .utf8)
      }
      var (before, after) = (stat(), stat())
      #expect(lstat(path, &before) == 0)
      let problems = store.counts(of: desk).problems.map(\.description)
      #expect(problems.count == 1 && problems.first?.contains(path) == true)
      let reason = kind == "too long" ? "File too large" : "the file is damaged"
      if isText { #expect(problems.first?.contains(reason) == true) }
      try store.store(counts(strokes: 3), of: desk)
      #expect(store.counts(of: desk).counts == counts(strokes: 3))
      #expect(lstat(path, &after) == 0)
      #expect(before.st_ino == after.st_ino)
      if isText { #expect(try String(contentsOfFile: path, encoding: .utf8) == text) }
      // When it is gone, ours takes its place.
      try FileManager.default.removeItem(atPath: path)
      #expect(store.counts(of: desk).counts == counts(strokes: 3))
      try store.store(counts(strokes: 4), of: desk)
      #expect(try names(in: folder) == [desk.fileName(StoredCounts.suffix)])
    }
  }

  @Test("A file of a newer version is left byte for byte, and ours stands beside it")
  func newer() throws {
    try withStore { store, folder in
      let path = folder + "/" + desk.fileName(StoredCounts.suffix)
      let other = """
        {"format":3,"name":"Desk","bus":3,"vendor":1,"product":1,"keys":"otherwise"}
        """
      try other.write(toFile: path, atomically: true, encoding: .utf8)
      let before = store.counts(of: desk)
      #expect(before.counts == nil)
      #expect(before.problems.count == 1)
      #expect(
        before.problems[0].description.contains("of a newer version of keydebounce (format 3"))
      try store.store(counts(strokes: 3, badFor: 5), of: desk)
      try store.reset(18, of: desk)
      #expect(store.counts(of: desk).counts?.keys.map(\.code) == [19])
      #expect(try String(contentsOfFile: path, encoding: .utf8) == other)
      #expect(
        try Set(names(in: folder)) == [
          desk.fileName(StoredCounts.suffix),
          desk.fileName(StoredCounts.suffix, format: StoredCounts.presentFormat),
        ])
      try store.reset(nil, of: desk)
      #expect(try names(in: folder) == [desk.fileName(StoredCounts.suffix)])
      #expect(try String(contentsOfFile: path, encoding: .utf8) == other)
    }
  }

  @Test("A key that is reset is gone from both files, and a device with them")
  func reset() throws {
    try withStore { store, folder in
      try store.reset(18, of: desk)
      try store.store(counts(strokes: 3, badFor: 900), of: desk)
      let day = [18: oneStroke, 19: oneStroke] as KeyDays
      try store.keep(.init(day: .today, counts: day, next: .init(.today, [:])), of: desk)
      try store.reset(18, of: desk)
      let left = try #require(store.counts(of: desk).counts)
      #expect(left.keys.map(\.key) == ["KEY_R"] && left.usualHold == 81_000)
      #expect(store.days(of: desk).contents?.days.values.flatMap(\.keys) == [19])
      try store.reset(nil, of: desk)
      #expect(try names(in: folder).isEmpty)
      #expect(store.counts(of: desk).counts == nil)
    }
  }

  @Test(
    "A reset fails where a file cannot be read, and changes the others all the same",
    arguments: [StoredCounts.suffix, StoredDays.suffix])
  func unreadable(suffix: String) throws {
    try withStore { store, folder in
      #expect(mkdir(folder + "/" + desk.fileName(suffix), 0o700) == 0)
      try store.store(counts(strokes: 3), of: desk)
      let error = #expect(throws: StatisticsError.self) { try store.reset(18, of: desk) }
      #expect(error?.description.hasPrefix("cannot read the counts in \(folder)/") == true)
      #expect(store.counts(of: desk).counts?.keys.map(\.code) == [19])
      #expect(throws: StatisticsError.self) { try store.reset(nil, of: desk) }
      #expect(store.counts(of: desk).counts == nil)
    }
  }

  @Test("What is written already is not written again")
  func unchanged() throws {
    try withStore { store, folder in
      var (before, after) = (stat(), stat())
      try store.store(counts(strokes: 3), of: desk)
      #expect(stat(folder + "/" + desk.fileName(StoredCounts.suffix), &before) == 0)
      try store.store(counts(strokes: 3), of: desk)
      #expect(stat(folder + "/" + desk.fileName(StoredCounts.suffix), &after) == 0)
      #expect(before.st_ino == after.st_ino)
      try store.store(counts(strokes: 4), of: desk)
      #expect(stat(folder + "/" + desk.fileName(StoredCounts.suffix), &after) == 0)
      #expect(before.st_ino != after.st_ino)
    }
  }

  @Test(
    "The devices that were not seen for longest are forgotten, with their days, and other files left alone"
  )
  func oldest() throws {
    try withStore { store, folder in
      try "mine".write(toFile: folder + "/notes.txt", atomically: true, encoding: .utf8)
      let newer = folder + "/newer.counts.json"
      try "{\"format\":3}".write(toFile: newer, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: newer)
      for number in 0..<70 {
        var identity = desk.identity
        identity.uniq = "\(number)"
        let device = CountedDevice(identity)
        try store.keep(
          .init(day: .today, counts: [18: oneStroke], next: .init(.today, [:])), of: device)
        try store.store(counts(strokes: 1), of: device)
        // A second apart, as their times tell.
        let time = Date(timeIntervalSince1970: 1_700_000_000 + Double(number))
        try FileManager.default.setAttributes(
          [.modificationDate: time],
          ofItemAtPath: folder + "/" + device.fileName(StoredCounts.suffix))
      }
      let names = try names(in: folder)
      #expect(names.count == 2 * 64 + 2)
      #expect(names.count { $0.hasSuffix(StoredDays.suffix) } == 64)
      #expect(names.contains("notes.txt") && names.contains("newer.counts.json"))
      #expect(!names.contains { $0.hasPrefix(".") })
    }
  }
}
