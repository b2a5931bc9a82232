import Debounce
import Status
import Testing

@testable import Service

@Suite("When it is reported that a switch is worn")
struct WearReportsTests {
  private func day(_ number: Int) -> Day { Day(unixTime: 1_700_000_000 + number * 86_400) }

  private func chatter(_ key: KeyCode...) -> KeyDays {
    var counts = KeyDay()
    (counts.strokes, counts.dropOuts) = (9, 1)
    return KeyDays(uniqueKeysWithValues: key.map { ($0, counts) })
  }

  private let minute: Microseconds = 60_000_000

  @Test("is a minute after the counts that were decisive at the soonest, and once")
  func distance() {
    var reports = WearReports()
    #expect(reports.candidates(today: chatter(18), on: day(0)) == [18])
    reports.add([18: .dropsOut], at: Instant(5 * minute + 7))
    #expect(reports.isWaiting)
    // What was found need not be found again.
    #expect(reports.candidates(today: chatter(18, 19), on: day(0)) == [19])
    // The publication of which the counts are was late: the next one is too near.
    let early = reports.takeDue(at: Instant(6 * minute), on: day(0))
    #expect(early.isEmpty && reports.isWaiting)
    let due = reports.takeDue(at: Instant(7 * minute), on: day(0))
    #expect(due == [.dropsOut])
    let again = reports.takeDue(at: Instant(9 * minute), on: day(0))
    #expect(again.isEmpty && !reports.isWaiting)
  }

  @Test("is again after a week, if the key still chatters, also over restarts")
  func week() {
    var reports = WearReports()
    reports.add([18: .chatters], at: Instant(0))
    _ = reports.takeDue(at: Instant(minute), on: day(0))
    #expect(reports.reported == [18: day(0)])
    var later = WearReports()
    later.add(reported: reports.reported)
    for number in 0..<7 {
      #expect(later.candidates(today: chatter(18), on: day(number)).isEmpty)
    }
    #expect(later.candidates(today: chatter(18), on: day(7)) == [18])
    #expect(later.candidates(today: [18: KeyDay()], on: day(7)).isEmpty)
    // The day was noted when the clock was wrong.
    #expect(later.candidates(today: chatter(18), on: day(-1)) == [18])
  }

  @Test("is for each key, and names none")
  func keys() {
    var reports = WearReports()
    reports.add([18: .dropsOut, 19: .chatters, 20: .chatters], at: Instant(0))
    reports.add([18: .overlap], at: Instant(minute))
    let due = reports.takeDue(at: Instant(minute), on: day(0))
    #expect(due == [.chatters, .chatters, .dropsOut])
    #expect(reports.reported.keys.sorted() == [18, 19, 20])
  }

  @Test("is not of a key that was reset, and anew when it is worn again")
  func reset() {
    var reports = WearReports()
    reports.add([18: .dropsOut, 19: .chatters], at: Instant(0))
    reports.reset(18)
    let due = reports.takeDue(at: Instant(minute), on: day(0))
    #expect(due == [.chatters])
    #expect(reports.candidates(today: chatter(18, 19), on: day(0)) == [18])
    reports.reset(nil)
    #expect(reports.candidates(today: chatter(18, 19), on: day(0)) == [18, 19])
  }
}
