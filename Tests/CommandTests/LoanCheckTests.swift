import Debounce
import Testing

@testable import keydebounce

@Suite("A loan during which another program takes the device")
struct LoanCheckTests {
  /// What the check answers if it is asked each time that it may be.
  private func answers(_ asked: [(hasRead: Bool, keysDiffer: Bool)]) -> [Bool] {
    var check = LoanCheck()
    return asked.enumerated().map { turn, moment in
      if moment.hasRead { check.read() }
      return check.isTaken(
        keysDiffer: moment.keysDiffer, at: Microseconds(turn) * LoanCheck.pause)
    }
  }

  @Test("is noticed when keys are down twice of which nothing was read, once")
  func taken() {
    #expect(
      answers([(false, false), (false, true), (false, true), (false, true), (false, true)])
        == [false, false, true, false, false])
  }

  @Test("is not seen in an event that is on its way")
  func onItsWay() {
    #expect(!answers(Array(repeating: (true, true), count: 10)).contains(true))
    #expect(!answers([(false, true), (false, false), (false, true)]).contains(true))
    #expect(answers([(true, true), (false, true)]) == [false, true])
  }

  @Test("is looked for after a pause, and not again when it is known")
  func due() {
    var check = LoanCheck()
    _ = check.isTaken(keysDiffer: true, at: 0)
    #expect(check.due == LoanCheck.pause)
    let early = check.isTaken(keysDiffer: true, at: LoanCheck.pause - 1)
    #expect(!early)
    _ = check.isTaken(keysDiffer: true, at: LoanCheck.pause)
    #expect(check.due == .max)
  }
}
