import Debounce
import Testing

@testable import keydebounce

@Suite("A device that another program takes while it is handed over")
struct HandoverCheckTests {
  /// What the check answers if it is asked each time that it may be.
  private func answers(_ asked: [(hasRead: Bool, keysDiffer: Bool)]) -> [Bool] {
    var check = HandoverCheck()
    return asked.enumerated().map { turn, moment in
      if moment.hasRead { check.read() }
      return check.isTaken(
        keysDiffer: moment.keysDiffer, at: Microseconds(turn) * HandoverCheck.pause)
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
    var check = HandoverCheck()
    _ = check.isTaken(keysDiffer: true, at: 0)
    #expect(check.due == HandoverCheck.pause)
    let early = check.isTaken(keysDiffer: true, at: HandoverCheck.pause - 1)
    #expect(!early)
    _ = check.isTaken(keysDiffer: true, at: HandoverCheck.pause)
    #expect(check.due == .max)
  }
}
