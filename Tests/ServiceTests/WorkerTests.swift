import Dispatch
import Glibc
import Synchronization
import Testing

@testable import Service

@Suite("The thread that reads and stores counts")
struct WorkerTests {
  /// What was done, in order.
  private final class Diary: Sendable {
    private let entries = Mutex<[Int]>([])

    func note(_ entry: Int) {
      entries.withLock { $0.append(entry) }
    }

    var all: [Int] { entries.withLock { $0 } }
  }

  @Test("keeps nobody waiting but who finishes, and no longer than the limit")
  func limit() throws {
    let (worker, diary) = (try Worker(), Diary())
    let mayGoOn = DispatchSemaphore(value: 0)
    worker.add {
      mayGoOn.wait()
      diary.note(1)
    }
    #expect(!worker.finish(by: .now()))
    #expect(diary.all.isEmpty)
    mayGoOn.signal()
    #expect(worker.finish())
    #expect(diary.all == [1])
  }

  @Test("does what its work asks for")
  func nested() throws {
    let (worker, diary) = (try Worker(), Diary())
    let hasAsked = DispatchSemaphore(value: 0)
    worker.add {
      worker.add { diary.note(2) }
      diary.note(1)
      hasAsked.signal()
    }
    hasAsked.wait()
    worker.finish()
    #expect(diary.all == [1, 2])
  }

  @Test("is one thread, which goes on after each rest")
  func thread() throws {
    let (worker, diary) = (try Worker(), Diary())
    for round in 0..<100 {
      worker.add { diary.note(Self.thread()) }
      worker.finish()
      #expect(diary.all.count == round + 1)
    }
    #expect(Set(diary.all).count == 1)
    #expect(diary.all.first != Self.thread())
  }

  /// The kernel's number for the calling thread. That of the C library may be used again.
  private static func thread() -> Int {
    var target = [CChar](repeating: 0, count: 64)
    let length = readlink("/proc/thread-self", &target, target.count)
    // As 123/task/456.
    let digits = target.prefix(max(length, 0)).reversed().prefix { $0 != UInt8(ascii: "/") }
    return digits.reversed().reduce(0) { $0 * 10 + Int($1) - 48 }
  }

  @Test("shares no descriptors where a disk may hold it: what the process closes is closed")
  func descriptors() throws {
    var ends: [CInt] = [-1, -1]
    let (worker, sharing, diary) = (try Worker(mayHang: true), try Worker(), Diary())
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let output = ends[0]
    // The number may be that of another file there.
    @Sendable func file() -> Int {
      var status = stat()
      return fstat(output, &status) == 0 ? Int(status.st_ino) : 0
    }
    for worker in [worker, sharing] {
      worker.add { diary.note(file()) }
      worker.finish()
    }
    #expect(diary.all[0] != file() && diary.all[1] == file())
  }

  @Test("does what still waits when nobody needs it any more")
  func end() throws {
    let diary = Diary()
    let isDone = DispatchSemaphore(value: 0)
    do {
      let worker = try Worker()
      for round in 0..<100 { worker.add { diary.note(round) } }
      worker.add { isDone.signal() }
    }
    isDone.wait()
    #expect(diary.all == Array(0..<100))
  }

  @Test("does what many ask for at once, for each in its order")
  func many() throws {
    let (worker, diary) = (try Worker(), Diary())
    DispatchQueue.concurrentPerform(iterations: 8) { asker in
      for round in 0..<200 { worker.add { diary.note(asker * 1000 + round) } }
    }
    worker.finish()
    #expect(diary.all.count == 1600)
    for asker in 0..<8 {
      let own = diary.all.filter { $0 / 1000 == asker }
      #expect(own == own.sorted(), "what one asks for is done in its order")
    }
  }
}
