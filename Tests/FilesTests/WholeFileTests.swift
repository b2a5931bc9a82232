import Files
import Foundation
import Glibc
import Samples
import SystemPackage
import Testing

@Suite("Files read and written as a whole")
struct WholeFileTests {
  private func mode(of path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test("take the place of what was there, with the permissions that are wanted")
  func replacing() throws {
    let folder = try Folder()
    let path = folder.path + "/counts.json"
    for (text, permissions) in [("old", 0o600), ("newer", 0o666)] as [(String, mode_t)] {
      try WholeFile.replace(
        path, with: Array(text.utf8), permissions: FilePermissions(rawValue: permissions))
      #expect(try WholeFile.read(path) == Array(text.utf8))
      #expect(mode(of: path) == permissions)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["counts.json"])
  }

  @Test("are not written through a link that lies in the way")
  func link() throws {
    let folder = try Folder()
    let (path, victim) = (folder.path + "/a", folder.path + "/victim")
    try WholeFile.replace(victim, with: [1], permissions: .ownerReadWrite)
    #expect(symlink(victim, folder.path + "/.a.new") == 0)
    try WholeFile.replace(path, with: [2], permissions: .ownerReadWrite)
    #expect(try WholeFile.read(victim) == [1])
    #expect(try WholeFile.read(path) == [2])
  }

  @Test("that are new take nothing's place, whatever came there meanwhile")
  func creating() throws {
    let folder = try Folder(["file": "mine"])
    let place = folder.path
    func path(_ name: String) -> String { place + "/" + name }
    func create(_ name: String) throws {
      try WholeFile.create(path(name), with: [1, 2], permissions: .ownerReadWrite)
    }
    try create("new")
    #expect(try WholeFile.read(path("new")) == [1, 2])
    #expect(mode(of: path("new")) == 0o600)
    #expect(mkfifo(path("pipe"), 0o600) == 0 && symlink("nothing", path("dangling")) == 0)
    #expect(mkdir(path("folder"), 0o700) == 0)
    let names = ["dangling", "file", "folder", "new", "pipe"]
    for name in names {
      #expect(throws: Errno.fileExists, "\(name)") { try create(name) }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names)
    #expect(try WholeFile.read(path("file")) == Array("mine".utf8))
  }

  @Test("leave nothing behind where they cannot be put")
  func failure() throws {
    let folder = try Folder()
    let path = folder.path + "/taken"
    try makeFolders(path + "/deep", permissions: .ownerReadWriteExecute)
    #expect(throws: Errno.isDirectory) {
      try WholeFile.replace(path, with: [1], permissions: .ownerReadWrite)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["taken"])
    #expect(throws: Errno.noSuchFileOrDirectory) {
      try WholeFile.replace(folder.path + "/no/a", with: [1], permissions: .ownerReadWrite)
    }
  }

  @Test("say why they cannot be read, and are not read without end")
  func reading() throws {
    let folder = try Folder()
    let missing = #expect(throws: FileError.self) { try WholeFile.read(folder.path + "/a") }
    #expect(missing?.reason == .noSuchFileOrDirectory)
    #expect("\(missing.map { "\($0)" } ?? "")".hasPrefix("cannot read \(folder.path)/a: "))
    let endless = #expect(throws: FileError.self) { try WholeFile.read("/dev/zero") }
    #expect(endless?.reason == .fileTooLarge)
  }

  @Test("lie where links lead")
  func links() throws {
    let folder = try Folder()
    try WholeFile.replace(folder.path + "/a", with: [], permissions: .ownerReadWrite)
    #expect(symlink("a", folder.path + "/b") == 0)
    #expect(resolvedPath(folder.path + "/b") == resolvedPath(folder.path) + "/a")
    #expect(resolvedPath("/no/such/file") == "/no/such/file")
  }
}

@Suite("Files that hold what was typed")
struct PrivateFileTests {
  @Test("are made anew, for nobody else, and what is there already is left alone")
  func existing() throws {
    let files = try Folder()
    let folder = files.path
    let mask = umask(0)
    defer { umask(mask) }
    let new = try PrivateFile.open("\(folder)/new")
    try new.closeAfter { _ = try new.writeAll("typed".utf8) }
    var status = stat()
    #expect(stat("\(folder)/new", &status) == 0 && status.st_mode & 0o777 == 0o600)

    // Traps: a link to a file, one to nothing, and a pipe that somebody reads.
    #expect(symlink("\(folder)/new", "\(folder)/link") == 0)
    #expect(symlink("\(folder)/nothing", "\(folder)/dangling") == 0)
    #expect(mkfifo("\(folder)/pipe", 0o666) == 0)
    let reader = open("\(folder)/pipe", O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    for name in ["new", "link", "dangling", "pipe"] {
      let error = #expect(throws: FileError.self) { try PrivateFile.open("\(folder)/\(name)") }
      #expect(error?.reason == .fileExists)
      #expect(
        error?.description == "cannot record to \(folder)/\(name): "
          + (name == "pipe"
            ? "it is a pipe, which must be open already: name /dev/stdout, and write “> \(folder)/pipe” behind the command"
            : "the file exists already; name another, or delete it"))
    }
    let error = #expect(throws: FileError.self) { try PrivateFile.open("\(folder)") }
    #expect(error?.description == "cannot record to \(folder): it is a folder; name a file in it")
    #expect(try WholeFile.read("\(folder)/new") == Array("typed".utf8))
    #expect(access("\(folder)/nothing", F_OK) != 0)
  }

  @Test("may be passed as descriptors, if nobody else reads along")
  func descriptors() throws {
    let files = try Folder()
    let folder = files.path
    let (reading, writing) = try FileDescriptor.pipe()
    let pipe = try PrivateFile.open("/dev/fd/\(writing.rawValue)")
    _ = try pipe.closeAfter { try pipe.writeAll("typed".utf8) }
    try writing.close()
    #expect(try reading.closeAfter { try WholeFile.read(reading) } == Array("typed".utf8))

    let own = try PrivateFile.open("\(folder)/own")
    for (mode, isFit) in [(0o600, true), (0o640, false), (0o604, false)] as [(mode_t, Bool)] {
      fchmod(own.rawValue, mode)
      let again = try? PrivateFile.open("/proc/self/fd/\(own.rawValue)")
      #expect((again != nil) == isFit, "\(mode)")
      try again?.close()
    }
    try own.close()
    let null = open("/dev/null", O_WRONLY)
    defer { close(null) }
    var socket: [CInt] = [-1, -1]
    #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &socket) == 0)
    defer { for end in socket { close(end) } }
    // A named pipe whose reader has gone.
    #expect(mkfifo("\(folder)/pipe", 0o600) == 0)
    let reader = open("\(folder)/pipe", O_RDONLY | O_NONBLOCK)
    let unread = open("\(folder)/pipe", O_WRONLY)
    defer { close(unread) }
    close(reader)
    for (path, reason, words) in [
      ("/dev/fd/\(null)", .permissionDenied, "expected a pipe, a terminal, or a file of the user"),
      ("/dev/fd/\(socket[0])", .noSuchAddressOrDevice, "it cannot be opened anew, as a socket"),
      (
        "/dev/fd/\(unread)", .noSuchAddressOrDevice,
        "nobody reads the pipe; start what reads"
      ),
      ("/dev/fd/99999", .noSuchFileOrDirectory, "No such file"),
      ("\(folder)/no/file", .noSuchFileOrDirectory, "No such file"),
    ] as [(String, Errno, String)] {
      let error = #expect(throws: FileError.self) { try PrivateFile.open(path) }
      #expect(error?.reason == reason)
      #expect(error?.description.hasPrefix("cannot record to \(path): \(words)") == true)
    }
  }
}
