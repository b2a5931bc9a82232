import Debounce
import Randomness
import Status
import Testing

@Suite("Counts by day")
struct StoredDaysTests {
  private let first = Day(unixTime: 1_700_000_000)

  private func day(_ number: Int) -> Day { Day(unixTime: 1_700_000_000 + number * 86_400) }

  private func counts(_ strokes: UInt32, _ chatter: UInt32...) -> KeyDay {
    var counts = KeyDay()
    counts.strokes = strokes
    let chatter = chatter + [0, 0, 0]
    (counts.chatter.pressBounces, counts.chatter.releaseBounces, counts.chatter.dropOuts) = (
      chatter[0], chatter[1], chatter[2]
    )
    return counts
  }

  /// Days on which one key was pressed once.
  private func days(_ count: Int) -> StoredDays {
    (0..<count).reduce(into: StoredDays()) { days, number in
      days.add([18: counts(1)], on: day(number), today: day(number))
    }
  }

  @Test("are written as the manual describes them, and read again")
  func text() throws {
    var days = StoredDays()
    days.beginning = StoredDays.Beginning(
      day(2), [30: counts(1204), 18: counts(3870, 130, 73, 94)])
    days.days = [
      day(1): [30: counts(55), 18: counts(120, 3)], day(0): [18: counts(112, 4, 0, 1)],
    ]
    #expect(
      days.text == """
        keydebounce days 1
        from 2023-11-16 18=3870/130/73/94 30=1204
        2023-11-14 18=112/4/0/1
        2023-11-15 18=120/3 30=55

        """)
    #expect(try StoredDays(days.text) == days)
    #expect(try StoredDays(StoredDays().text) == StoredDays())
    // A line that is no longer written.
    let earlier = days.text.replacing("2023-11-14 ", with: "reported 18=2023-11-14\n2023-11-14 ")
    #expect(try earlier != days.text && StoredDays(earlier) == days)
    let error = #expect(throws: NewerFormat.self) {
      try StoredDays("keydebounce days 2\nsomething else\n")
    }
    #expect(error?.format == 2)
  }

  @Test(
    "that are damaged are not read",
    arguments: [
      "", "keydebounce days 1", "keydebounce days x\n", "{\"format\":1}\n",
      "keydebounce days 0\n", "keydebounce days 1\n\n", "keydebounce days 1\n2026-11-21\n",
      "keydebounce days 1\n2026-13-21 1=1\n", "keydebounce days 1\n2026-11-21 1=1 1=2\n",
      "keydebounce days 1\n2026-11-21 1\n",
      "keydebounce days 1\n2026-11-21 1=1\n2026-11-21 1=1\n",
      "keydebounce days 1\n2026-11-21 1=1/2/3/4/5\n", "keydebounce days 1\n2026-11-21 1=-1\n",
      "keydebounce days 1\n2026-11-21 1=1/\n", "keydebounce days 1\n2026-11-21 1=4294967296\n",
      "keydebounce days 1\n2026-11-21 65536=1\n", "keydebounce days 1\nfrom yesterday\n",
      "keydebounce days 1\n2026-11-21 1=1",
    ])
  func damaged(text: String) throws {
    #expect(try StoredDays(text) == nil)
  }

  @Test("are kept for 400 days, and days of a clock that was wrong do not push others out")
  func pruned() {
    var days = days(1000)
    #expect(days.days.keys.min() == day(600) && days.days.count == 400)
    // As on a machine without a clock of its own, before it knows the time.
    #expect(Day("2147483647-13-01") == nil && Day("2026-13-01") == nil)
    days.add([18: counts(1)], on: Day("1970-01-01") ?? first, today: Day("1970-01-01") ?? first)
    #expect(days.days.keys.min() == day(600) && days.days.count == 400)
    days.add([18: counts(1)], on: day(1000), today: day(1000))
    #expect(days.days.keys.min() == day(601) && days.days.count == 400)
  }

  @Test("stay when the clock is far ahead for a moment, and age again when it is right")
  func clockFarAhead() {
    var days = days(400)
    days.add([18: counts(1)], on: day(399), today: day(4000))
    #expect(days.days.keys.min() == first && days.days.count == 400)
    days.add([18: counts(1)], on: day(4000), today: day(400))
    #expect(days.days.keys.min() == day(1) && days.days.count == 400)
    days.add([18: counts(1)], on: day(410), today: day(420))
    #expect(days.days.keys.min() == day(21))
  }

  @Test("of one day are added up, and only so many keys are kept")
  func bounded() throws {
    var days = StoredDays()
    days.add([18: counts(1, 2)], on: first, today: first)
    days.add([18: counts(4, 0, 1), 30: counts(7)], on: first, today: day(1))
    #expect(days.days == [first: [18: counts(5, 2, 1), 30: counts(7)]])
    days.add([:], on: day(1), today: day(1))
    #expect(days.days.count == 1)
    let all = KeyDays(uniqueKeysWithValues: (0..<768).map { ($0, counts(UInt32($0) + 1)) })
    days.add(all, on: day(2), today: day(2))
    #expect(days.days[day(2)]?.keys.sorted() == Array(512..<768))
  }

  @Test("of a heavy year are small, and of the worst device not large")
  func size() throws {
    var days = StoredDays()
    var random = SeededRandom(seed: 1)
    // 40,000 strokes a day on 80 keys, a tenth of which are worn.
    let heavy = KeyDays(
      uniqueKeysWithValues: (KeyCode(1)...80).map { key in
        let strokes = UInt32.random(in: 1...1000, using: &random)
        return (key, key % 10 == 0 ? counts(strokes, 12, 3, 4) : counts(strokes))
      })
    for number in 0..<400 { days.add(heavy, on: day(number), today: day(number)) }
    print("400 days with 80 keys each: \(days.text.utf8.count) bytes")
    #expect(days.text.utf8.count < 300_000)
    let worst = KeyDays(
      uniqueKeysWithValues: (0..<768).map { ($0, counts(.max, .max, .max, .max)) })
    for number in 0..<400 { days.add(worst, on: day(number + 400), today: day(number + 400)) }
    days.beginning = StoredDays.Beginning(day(800), worst)
    print("of the worst device: \(days.text.utf8.count) bytes")
    // Longer files than 16 MiB are not read.
    #expect(days.text.utf8.count < 1 << 23)
    #expect(try StoredDays(days.text) == days)
  }

  @Test("of a key that is reset are gone")
  func reset() {
    var days = StoredDays()
    days.beginning = StoredDays.Beginning(day(2), [18: counts(9), 30: counts(8)])
    days.days = [first: [18: counts(1)], day(1): [18: counts(2), 30: counts(3)]]
    days.reset(18)
    #expect(days.days == [day(1): [30: counts(3)]])
    #expect(days.beginning?.totals == [30: counts(8)])
  }

  @Test("know how far apart days are")
  func distances() {
    let texts = [
      "1970-01-01", "2024-02-28", "2024-03-01", "2025-02-28", "2025-03-01", "2099-12-31",
    ]
    let days = texts.compactMap { Day($0) }
    #expect(days.sorted() == days)
    #expect(days[2].days(since: days[1]) == 2 && days[4].days(since: days[3]) == 1)
    for number in stride(from: -719_000, to: 800_000, by: 997) {
      #expect(Day(unixTime: number * 86_400).days(since: days[0]) == number)
    }
  }
}
