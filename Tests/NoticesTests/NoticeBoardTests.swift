import Notices
import Status
import Testing

@Suite("The notice of worn keys")
struct NoticeBoardTests {
  private func shown(_ actions: [NoticeBoard.Action]) -> (NoticeBoard.Notice, UInt32)? {
    guard actions.count == 1, case .show(let notice, let number) = actions[0] else { return nil }
    return (notice, number)
  }

  @Test("says which device it is and what is wrong, and can be asked for more")
  func text() throws {
    var board = NoticeBoard()
    let (notice, number) = try #require(shown(board.keyWorn(of: "“Desk <b>”", .dropsOut)))
    #expect(number == 0 && notice.hasAction)
    #expect(notice.summary == "A key is worn")
    #expect(
      notice.body == """
        “Desk ‹b›”: a switch has become bad: it loses contact while it is held.
        “keydebounce status” shows which.
        """)
  }

  @Test("is one, also of several devices, until it is put away")
  func one() throws {
    var board = NoticeBoard()
    _ = board.keyWorn(of: "Desk", .chatters)
    var actions = board.shown(as: 7)
    #expect(actions.isEmpty)
    let (notice, number) = try #require(shown(board.keyWorn(of: "Lap", .overlap)))
    #expect(number == 7 && notice.summary == "Keys are worn")
    #expect(notice.body.split(separator: "\n").count == 3)
    actions = board.shown(as: 7)
    #expect(actions.isEmpty)
    board.closed(8)
    board.closed(7)
    let (next, nextNumber) = try #require(shown(board.keyWorn(of: "Lap", .chatters)))
    #expect(nextNumber == 0 && !next.body.contains("Desk"))
  }

  @Test("is renewed when it changes before the desktop has answered")
  func outdated() throws {
    var board = NoticeBoard()
    _ = board.keyWorn(of: "Desk", .chatters)
    let early = board.keyWorn(of: "Desk", .dropsOut)
    #expect(early.isEmpty)
    let (notice, number) = try #require(shown(board.shown(as: 3)))
    #expect(number == 3 && notice.body.contains("bounces; it loses contact"))
  }

  @Test("opens the status if somebody wants to see more of it, and of no other")
  func action() {
    var board = NoticeBoard()
    _ = board.keyWorn(of: "Desk", .chatters)
    _ = board.shown(as: 3)
    #expect(board.wasInvoked(4) == [])
    #expect(board.wasInvoked(3) == [.openStatus])
    board.closed(3)
    #expect(board.wasInvoked(3) == [])
  }

  @Test("says what to do where there is no terminal")
  func noTerminal() throws {
    var board = NoticeBoard()
    _ = board.keyWorn(of: "Desk", .chatters)
    _ = board.shown(as: 3)
    _ = board.wasInvoked(3)
    let (notice, number) = try #require(shown(board.foundNoTerminal()))
    #expect(number == 3 && !notice.hasAction && notice.body.contains("keydebounce status"))
  }

  @Test("waits for somebody who shows it, and that is reported once")
  func noServer() throws {
    var board = NoticeBoard()
    _ = board.keyWorn(of: "Desk", .chatters)
    #expect(board.refused() == [.reportNoServer])
    #expect(shown(board.keyWorn(of: "Lap", .chatters)) != nil)
    #expect(board.refused() == [])
    let (notice, _) = try #require(shown(board.serverAppeared()))
    #expect(notice.body.contains("Desk") && notice.body.contains("Lap"))
    _ = board.shown(as: 1)
    // Another one takes over: numbers of before mean nothing.
    #expect(board.serverAppeared() == [])
    #expect(board.wasInvoked(1) == [])
    // What has worked once is reported again when it fails.
    _ = board.keyWorn(of: "Desk", .chatters)
    #expect(board.refused() == [.reportNoServer])
  }
}
