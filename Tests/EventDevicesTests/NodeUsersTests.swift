import EventDevices
import Foundation
import Samples
import Testing

@Suite("Who opens and closes nodes")
struct NodeUsersTests {
  private let users = NodeUsers()

  private func changes() throws -> [String] {
    var found: [String] = []
    try #require(users).read { found.append("\($1) \($0)") }
    return found
  }

  private func use(_ path: String) throws {
    try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).close()
  }

  @Test("is reported of the nodes that are watched, and of no others")
  func watched() throws {
    let users = try #require(users)
    let folder = try Folder(["one": "", "two": ""])
    let paths = ["one", "two"].map { folder.path + "/" + $0 }
    users.watch([paths[0]])
    for path in paths { try use(path) }
    #expect(try changes() == ["opened \(paths[0])", "closed \(paths[0])"])

    users.watch([paths[1]])
    for path in paths { try use(path) }
    #expect(try changes() == ["opened \(paths[1])", "closed \(paths[1])"])

    users.watch([])
    for path in paths { try use(path) }
    #expect(try changes() == [])
  }

  @Test("is not reported of a node that is gone, and of the next of its name when that is watched")
  func gone() throws {
    let users = try #require(users)
    let folder = try Folder(["other": ""])
    let path = folder.path + "/node"
    for _ in 0..<2 {
      try Data().write(to: URL(fileURLWithPath: path))
      users.watch([path])
      try use(path)
      #expect(try changes() == ["opened \(path)", "closed \(path)"])
      try FileManager.default.removeItem(atPath: path)
      #expect(try changes() == [])
      users.watch([])
    }
  }
}
