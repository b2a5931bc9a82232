import EventDevices
import Glibc

/// A terminal that a test looks at and types on.
public final class PseudoTerminal {
  /// The side of the person: what is shown is read here, and what is typed is written.
  public let person: CInt
  /// The side of the program.
  public let program: CInt

  /// The path of the program's side.
  public let path: String

  public init() throws {
    var name = [CChar](repeating: 0, count: 64)
    var (person, program): (CInt, CInt) = (-1, -1)
    guard openpty(&person, &program, &name, nil, nil) == 0 else {
      throw WaitedInVain(description: "no pseudo terminal: \(errno)")
    }
    for descriptor in [person, program] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    self.person = person
    self.program = program
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    close(program)
    close(person)
  }

  public var settings: termios {
    var settings = termios()
    tcgetattr(program, &settings)
    return settings
  }

  /// Types text.
  public func type(_ text: String) {
    _ = text.withCString { write(person, $0, strlen($0)) }
  }

  /// How many bytes were typed that nobody has read.
  public func countTyped() -> Int {
    var count: CInt = 0
    _ = ioctl(program, UInt(FIONREAD), &count)
    return Int(count)
  }

  /// Waits until what is typed is no longer shown.
  public func waitForSilence() throws {
    let end = monotonicNow() + patience
    while settings.c_lflag & tcflag_t(ECHO) != 0 {
      guard monotonicNow() < end else { throw WaitedInVain(description: "the terminal echoes on") }
      sleep(until: monotonicNow() + 1000)
    }
  }
}
