import Debounce
import Recording
import Testing

@testable import Top

@Suite("What top sees of a device that is watched")
struct WatchedStreamTests {
  private static let text = """
    # EVEMU 1.3
    N: Keyboard
    # lost: 10.000000 0 002a
    E: 11.000000 0001 001e 0001
    E: 11.000000 0000 0000 0000
    # outcome: 11.000000 001e down 11.000000 passed
    # clean: 11.000000 0001 001e 0001
    # clean: 11.000000 0000 0000 0000
    E: 11.004000 0001 001e 0000
    E: 11.004000 0000 0000 0000
    # outcome: 11.004000 001e up 11.004000 waits 11.029000
    E: 11.006000 0001 001e 0001
    E: 11.006000 0000 0000 0000
    # outcome: 11.006000 001e down 11.006000 withdrawn press-bounce 11.004000
    E: 11.007000 0001 001e 0002
    E: 11.007000 0000 0000 0000
    # outcome: 11.008000 001e down 11.006000 restored press-bounce
    # closed: 12.000000

    """

  private static let sights: [LiveKeys.Sight] = [
    .lost(held: [42]), .raw(30, isDown: true), .raw(30, isDown: false), .raw(30, isDown: true),
    .removed(30), .restored(30),
  ]

  @Test("is the same in pieces of any length", arguments: [1, 2, 7, 64, 100_000])
  func pieces(length: Int) throws {
    var stream = WatchedStream()
    var seen: [LiveKeys.Sight] = []
    var rest = Array(Self.text.utf8)[...]
    while !rest.isEmpty {
      #expect(!stream.isClosed)
      seen += try stream.receive(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    #expect(seen == Self.sights)
    #expect(stream.isClosed)
  }

  @Test("is refused if it is none")
  func nonsense() {
    var stream = WatchedStream()
    #expect(throws: RecordingError.self) { try stream.receive(Array("E: x y z\n".utf8)) }
  }
}
