import EventDevices
import Foundation
import Samples
import Testing

@Suite("Who opens and closes nodes")
struct NodeUsersTests {
  private func changes(_ users: NodeUsers) -> [String] {
    var found: [String] = []
    users.read { found.append("\($1) \($0)") }
    return found
  }

  private func use(_ path: String) throws {
    try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).close()
  }

  @Test("is reported of the nodes that are watched, and of no others")
  func watched() throws {
    let users = try #require(NodeUsers())
    let folder = try Folder(["one": "", "two": ""])
    let paths = ["one", "two"].map { folder.path + "/" + $0 }
    users.watch([paths[0]])
    for path in paths { try use(path) }
    #expect(changes(users) == ["opened \(paths[0])", "closed \(paths[0])"])

    users.watch([paths[1]])
    for path in paths { try use(path) }
    #expect(changes(users) == ["opened \(paths[1])", "closed \(paths[1])"])

    users.watch([])
    for path in paths { try use(path) }
    #expect(changes(users) == [])
  }

  @Test("is not reported of a node that is gone, and of the next of its name when that is watched")
  func gone() throws {
    let users = try #require(NodeUsers())
    let folder = try Folder(["other": ""])
    let path = folder.path + "/node"
    for _ in 0..<2 {
      try Data().write(to: URL(fileURLWithPath: path))
      users.watch([path])
      try use(path)
      #expect(changes(users) == ["opened \(path)", "closed \(path)"])
      try FileManager.default.removeItem(atPath: path)
      #expect(changes(users) == [])
      users.watch([])
    }
  }

  @Test("is reported of all nodes in the folder, also when it has gone and is there again")
  func folder() throws {
    let parent = try Folder()
    let folder = parent.path + "/input"
    let path = folder + "/event3"
    let users = try #require(NodeUsers(in: folder))
    for _ in 0..<2 {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false)
      try Data().write(to: URL(fileURLWithPath: path))
      users.watchAll(true)
      try use(path)
      #expect(changes(users) == ["opened \(path)", "closed \(path)"])
      try FileManager.default.removeItem(atPath: folder)
      // The kernel says there that it watches the folder no more.
      #expect(changes(users) == [])
    }
  }

  @Test("is no longer reported when nobody wants to know it of all nodes any more")
  func end() throws {
    let folder = try Folder(["event3": ""])
    let users = try #require(NodeUsers(in: folder.path))
    users.watchAll(true)
    users.watchAll(false)
    try use(folder.path + "/event3")
    #expect(changes(users) == [])
  }
}
