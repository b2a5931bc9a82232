import CEvdev
import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension Installed {
  @Suite("The package comes and goes")
  struct PackageTests {
    private let unit = Unit.keydebounce
    private let defaults = "/etc/keydebounce/keydebounce.toml"

    @Test(
      "an upgrade keeps the configuration, and while keys are held and typed, loses none of them")
    func upgraded() throws {
      let text = try String(contentsOfFile: defaults, encoding: .utf8)
      defer { try? text.write(toFile: defaults, atomically: false, encoding: .utf8) }
      try edit()
      // While a grab ends, the kernel gives what is pressed to programs alone, and not to the console, until all of their
      // reads are through: on a busy machine a key falls into that now and then, whoever ends the grab. A program that
      // reads the keyboard itself has seen it then.
      for _ in 0..<3 {
        let (typed, received, passedBy) = try upgradeWhileTyping()
        if received == String(typed) { return }
        let missing = typed.indices.filter { received == String(typed[..<$0] + typed[($0 + 1)...]) }
        try #require(
          !passedBy.isDisjoint(with: missing),
          "\(received) of \(String(typed)); past the service went those at \(passedBy.sorted())")
      }
      Issue.record("each of three upgrades lost a key")
    }

    /// - Returns: What was typed meanwhile, what the shell got, and where in it are those that went past the service.
    private func upgradeWhileTyping() throws
      -> (typed: [Character], received: String, passedBy: Set<Int>)
    {
      let console = try Console()
      try dpkg("--install", "/payload/keydebounce-now.deb")
      // Not “waitUntilDebounced”: another version's daemon may not answer this one's question.
      try wait(for: "a keyboard that is debounced") {
        try console.endRepeats()
        try console.typeWorn(Console.word)
        return try console.nextLine() == Console.word
      }
      let pid = try unit.number("MainPID")
      let reader = try EventReader(path: console.keyboard.path)
      try console.hold(["w"])
      let upgrade = try Process.run(
        URL(fileURLWithPath: "/usr/bin/dpkg"),
        arguments: ["--force-confold", "--install", "/payload/keydebounce-later.deb"])
      // Any letter again only after all the others: see Console.word.
      var typed: [Character] = ["w"]
      var passedBy: Set<Int> = []
      var letters = Self.letters[...]
      func typeNext() throws {
        if letters.isEmpty { letters = Self.letters[...] }
        let letter = letters.removeFirst()
        try console.hold([String(letter)])
        try console.hold([String(letter)], down: false)
        typed.append(letter)
        sleep(until: monotonicNow() + 100_000)
        // After each, since the kernel keeps no more than ten strokes for a reader.
        for event in reader.framesAtHand().flatMap(\.events)
        where event.type == EV_KEY && event.value == 1 {
          if let letter = Self.letter(of: event.code), let index = typed.lastIndex(of: letter) {
            passedBy.insert(index)
          }
        }
      }
      while upgrade.isRunning { try typeNext() }
      #expect(upgrade.terminationStatus == 0)
      #expect(try unit.property("ActiveState") == "active")
      #expect(try unit.number("MainPID") != pid)
      #expect(try isEdited())
      // The new version takes the keyboard when no key is down.
      try console.hold(["w"], down: false)
      try wait(for: "the new version to take the keyboard") {
        try typeNext()
        return try console.status()?.state == .debounced
      }
      for _ in 0..<5 { try typeNext() }
      let counted = try console.status()?.counts.keys.first { $0.key == "KEY_Z" }
      #expect((counted?.chatter.pressBounces ?? 0) > 0, "the counts of before are kept")
      try console.type("")
      return (typed, try #require(try console.nextLine()), passedBy)
    }

    private static func letter(of code: UInt16) -> Character? {
      letters.first {
        libevdev_event_code_from_name(UInt32(EV_KEY), "KEY_\($0.uppercased())") == CInt(code)
      }
    }

    private static let letters = Array("qertyuiopasdfghjklzxcvbnm")

    @Test(
      "removed, it leaves the configuration and the counts; purged, nothing; and what “make install” puts goes likewise"
    )
    func comesAndGoes() throws {
      let console = try Console()
      try console.waitUntilDebounced()
      let own = "/etc/keydebounce/devices.d/10-test.toml"
      let text = try String(contentsOfFile: own, encoding: .utf8)
      try removeAndPurge(console, leaving: own)
      try putAndRemove(console)

      try FileManager.default.removeItem(atPath: defaults)
      try dpkg("--install", "/payload/keydebounce-now.deb")
      #expect(try String(contentsOfFile: own, encoding: .utf8) == text)
      #expect(try unit.property("UnitFileState") == "enabled")
      try console.waitUntilDebounced()
    }

    private func removeAndPurge(_ console: Console, leaving own: String) throws {
      try edit()
      // As the program writes them: they are in force as long as they are there.
      let written = [
        "/etc/keydebounce/devices.d/20-mouse.toml": "# Written by keydebounce leave; checksum 0",
        "/etc/keydebounce/calibrated.d/worn.toml": "# Written by keydebounce calibrate",
      ]
      try FileManager.default.createDirectory(
        atPath: "/etc/keydebounce/calibrated.d", withIntermediateDirectories: true)
      for (path, line) in written {
        try "\(line)\n[device]\nname = \"nobody's\"\n".write(
          toFile: path, atomically: true, encoding: .utf8)
      }

      let removal = try dpkg("--remove", "keydebounce")
      #expect(!removal.contains("rmdir"), "\(removal)")
      #expect(written.keys.allSatisfy { exists($0) })
      #expect(!exists("/dev/keydebounce/uinput"))
      #expect(try unit.property("ActiveState") == "inactive")
      #expect(!exists("/usr/bin/keydebounce"))
      #expect(try isEdited())
      #expect(exists("/var/lib/keydebounce"))
      try console.checkLeftAlone()

      let purge = try dpkg("--purge", "keydebounce")
      #expect(!purge.contains("rmdir"), "\(purge)")
      #expect(!exists(defaults))
      #expect(!exists("/var/lib/keydebounce"))
      #expect(!exists("/run/keydebounce-daemon"))
      #expect(!exists("/etc/systemd/system/multi-user.target.wants/keydebounce.service"))
      // Files that the administrator has written are not the package's to remove; the folder goes with the last.
      #expect(exists(own))
      #expect(!written.keys.contains { exists($0) })
      #expect(!exists("/etc/keydebounce/calibrated.d"))
      #expect(getpwnam("keydebounce") != nil)
    }

    /// Does what “make install” and “make uninstall” do, where there is no package.
    private func putAndRemove(_ console: Console) throws {
      let put = try Command.shell("/payload/tree/packaging/install put 2>&1")
      #expect(put.status == 0, "\(put.output)")
      #expect(put.output.contains("QEMU QEMU USB Keyboard"), "\(put.output)")
      #expect(try unit.property("FragmentPath").hasPrefix("/usr/local/lib/systemd/system/"))
      let program = "/usr/local/bin/keydebounce"
      #expect(try Command(program: program, ["status"]).status == 0)
      try console.typeWorn(Console.word)
      try console.waitForLine(Console.word)

      try edit()
      #expect(try Command.shell("/payload/tree/packaging/install put 2>&1").status == 0)
      #expect(try isEdited())

      let remove = try Command.shell("/payload/tree/packaging/install remove 2>&1")
      #expect(remove.status == 0 && remove.output.contains("/etc/keydebounce"))
      #expect(try unit.property("LoadState") == "not-found")
      #expect(try Command.shell("find /usr/local -name '*keydebounce*'").output.isEmpty)
      #expect(try isEdited())
      try console.checkLeftAlone()
    }

    /// Calls dpkg, as apt does after it has looked for dependencies, which takes an emulated machine its time.
    ///
    /// - Returns: What it wrote.
    @discardableResult
    private func dpkg(_ order: String, _ package: String) throws -> String {
      let command = try Command.shell("dpkg \(order) \(package) 2>&1")
      guard command.status == 0 else { throw WaitedInVain(description: command.output) }
      return command.output
    }

    /// Changes the packaged file as an administrator would.
    private func edit() throws {
      let text = try String(contentsOfFile: defaults, encoding: .utf8)
      try (text + "# edited\n").write(toFile: defaults, atomically: false, encoding: .utf8)
    }

    private func isEdited() throws -> Bool {
      try String(contentsOfFile: defaults, encoding: .utf8).hasSuffix("# edited\n")
    }

    private func exists(_ path: String) -> Bool {
      FileManager.default.fileExists(atPath: path)
    }
  }
}
