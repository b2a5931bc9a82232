import Debounce
import EventDevices
import Status
import Testing

@testable import Service

@Suite("What is known of a device from before")
struct DeviceHistoryTests {
  private let day = Day(unixTime: 1_700_000_000)

  private var earlier: StoredCounts {
    let keys = [18, 19].map { (code: KeyCode) in
      var key = KeyStatus(key: "KEY_\(code)", code: code, counts: KeyCounts())
      key.habits = LearnedHabits.Key(code, badFor: 5)
      key.badSince = day
      return key
    }
    var earlier = StoredCounts(of: DeviceIdentity(name: "Desk"), keys: keys)
    earlier.since = day
    return earlier
  }

  @Test("is since when")
  func since() {
    var history = DeviceHistory()
    #expect(history.since == .today)
    #expect(history.add(earlier) == earlier)
    #expect(history.since == day && history.badSince(18) == day)
    #expect(history.badSince(20) == .today)
    // A key that has recovered meanwhile, and is bad again.
    history.update(bad: [19])
    history.update(bad: [18, 19])
    #expect(history.badSince(18) == .today && history.badSince(19) == day)
  }

  @Test("is since an unknown day if the version that began did not note it")
  func unknownDay() {
    var history = DeviceHistory()
    var old = earlier
    old.since = nil
    _ = history.add(old)
    #expect(history.since == nil)
    history.reset(nil)
    #expect(history.since == .today)
  }

  @Test("is without the keys that were reset while it was read")
  func resetWhileReading() {
    var history = DeviceHistory()
    history.reset(18)
    #expect(history.add(earlier).keys.map(\.code) == [19])
    #expect(history.badSince(18) == .today)
    // Only those of then.
    #expect(history.add(earlier) == earlier)
  }

  @Test("takes the place of what is learned while it cannot be used")
  func replaced() {
    var present = earlier
    present.usualHold = 70_000
    present.keys[0].habits = LearnedHabits.Key(18, offset: 500, badFor: 900)
    present.replaceHabits(
      by: LearnedHabits(usualHold: 85_000, keys: [LearnedHabits.Key(19, offset: -1000, badFor: 3)]))
    #expect(
      present.habits
        == LearnedHabits(
          usualHold: 85_000, keys: [LearnedHabits.Key(19, offset: -1000, badFor: 3)]))
    #expect(present.keys[0].badSince == nil && present.keys[1].badSince == day)
    #expect(present.since == day)
  }

  @Test("is kept as it is if it could not be used, but for what is reset")
  func unused() {
    var history = DeviceHistory()
    history.unused = earlier.habits
    history.reset(18)
    #expect(history.unused?.keys.map(\.code) == [19])
    history.reset(nil)
    #expect(history.unused == nil)
  }
}
