import Foundation
import Status
import TestMachine
import Testing

extension Installed {
  /// By the system's own login manager and polkit, which the images of later releases have.
  @Suite("Whoever sits at the machine may pause", .enabled(if: hasPolkit, "make compatibility"))
  struct SeatTests {
    @Test("while the console is shown on which they have logged in, and nobody else may")
    func shown() throws {
      let console = try Console()
      try console.waitUntilDebounced()
      try wait(for: "who types there to be logged in; \(sessions())") { try isShown() }
      try expect("typist", isAllowed: true, on: console)
      try expect("nobody", isAllowed: false, on: console)
      try show(2)
      defer { try? show(1) }
      try wait(for: "another console to be shown; \(sessions())") { try !isShown() }
      try expect("typist", isAllowed: false, on: console)
    }

    private func expect(_ user: String, isAllowed: Bool, on console: Console) throws {
      let pause = try call("pause", as: user)
      #expect((pause.status == 0) == isAllowed, "\(user): \(pause.errors)")
      #expect((try console.status()?.pause != nil) == isAllowed, "\(user)")
      if !isAllowed { #expect(pause.errors.contains("polkit"), "\(pause.errors)") }
      let resume = try call("resume", as: user)
      #expect((resume.status == 0) == isAllowed, "\(user): \(resume.errors)")
      #expect(try console.status()?.pause == nil)
    }

    /// Calls keydebounce as a user who is in no group that may do more, and in their session if they have one.
    private func call(_ command: String, as user: String) throws -> Command {
      try Command(
        program: "/bin/sh",
        [
          "-c",
          """
          if shell=$(pgrep --uid "$1" --oldest --exact bash); then
            echo $$ >"/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$shell/cgroup")/cgroup.procs"
          fi
          exec setpriv --reuid="$1" --regid=nogroup --clear-groups "$2" "$3"
          """, "sh", user, DaemonProcess.program, command,
        ])
    }

    private func show(_ number: Int) throws {
      _ = try Command(program: "/bin/busybox", ["chvt", "\(number)"])
    }

    private func isShown() throws -> Bool {
      try Command(program: "/usr/bin/loginctl", ["show-user", "--property=State", "typist"])
        .output.contains("State=active")
    }

    private func sessions() throws -> String {
      try Command(program: "/usr/bin/loginctl", ["list-sessions"]).output
    }
  }
}

private let hasPolkit = FileManager.default.fileExists(
  atPath: "/usr/share/dbus-1/system-services/org.freedesktop.PolicyKit1.service")
