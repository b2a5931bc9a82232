import BusMessages
import CSystemd
import Control
import Devices
import Glibc
import Status

/// Turns the daemon's signal that a switch has become bad into a notice on the desktop. Sleeps until there is one.
public final class Notifier {
  private let system: BusConnection
  private let session: BusConnection
  private var board = NoticeBoard()
  private let program: String
  private let log: (String) -> Void

  /// Connects to the system bus and to the session's.
  ///
  /// - Parameters:
  ///   - program: The path of keydebounce, to show the status with.
  ///   - log: Receives what is to be reported to whoever looks after the service.
  public init(program: String, log: @escaping (String) -> Void) throws(NotifierError) {
    (self.program, self.log) = (program, log)
    system = try BusConnection({ csystemd_bus_open_system($0) }, name: "system")
    session = try BusConnection({ csystemd_bus_open_user($0) }, name: "session")
    // Whatever it starts is nobody's to wait for.
    signal(SIGCHLD, SIG_IGN)
    listen()
  }

  /// Shows notices until one of the buses is gone.
  public func run() throws(NotifierError) -> Never {
    while true {
      guard let systemHasMore = system.process() else { throw .lost(name: "system") }
      guard let sessionHasMore = session.process() else { throw .lost(name: "session") }
      guard !systemHasMore, !sessionHasMore else { continue }
      var events = [system.poll, session.poll]
      let limits: [CInt] = [system.patience, session.patience].filter { $0 >= 0 }
      _ = poll(&events, nfds_t(events.count), limits.min() ?? -1)
    }
  }
}

// MARK: - What is received

extension Notifier {
  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private func listen() {
    // The bus has looked who the sender is: nobody else can send this in the daemon's name.
    _ = system.listen(
      """
      type='signal',sender='\(BusNames.service)',path='\(BusNames.object)',\
      interface='\(BusNames.interface)',member='\(BusNames.keyWorn)'
      """, context
    ) { message, context, _ in
      Notifier.from(context)?.keyWorn(message)
      return 0
    }
    let server = """
      type='signal',sender='\(Desktop.notifications.service)',path='\(Desktop.notifications.path)',\
      interface='\(Desktop.notifications.interface)',member=
      """
    _ = session.listen("\(server)'ActionInvoked'", context) { message, context, _ in
      guard let notifier = Notifier.from(context),
        let number = BusMessage(sharing: message)?.readNumber()
      else { return 0 }
      notifier.carryOut(notifier.board.wasInvoked(number))
      return 0
    }
    _ = session.listen("\(server)'NotificationClosed'", context) { message, context, _ in
      guard let notifier = Notifier.from(context),
        let number = BusMessage(sharing: message)?.readNumber()
      else { return 0 }
      notifier.board.closed(number)
      return 0
    }
    _ = session.listen(
      """
      type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',\
      interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(Desktop.notifications.service)'
      """, context
    ) { message, context, _ in
      guard let notifier = Notifier.from(context) else { return 0 }
      let message = BusMessage(sharing: message)
      let names = (0..<3).map { _ in message?.readString() }
      if names[2]?.isEmpty == false { notifier.carryOut(notifier.board.serverAppeared()) }
      return 0
    }
  }

  private func keyWorn(_ message: OpaquePointer?) {
    guard let message = BusMessage(sharing: message), let device = message.readString(),
      let verdict = message.readString().flatMap(KeyVerdict.init(rawValue:))
    else { return }
    carryOut(board.keyWorn(of: name(of: device), verdict))
  }

  /// The name of a device; its node, if that cannot be found out.
  private func name(of node: String) -> String {
    guard let client = try? DaemonClient(), let status = try? client.status() else { return node }
    let name = status.devices.first { $0.node == node }?.device.name ?? ""
    return name.allSatisfy { $0 == " " } ? node : "“\(name)”"
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> Notifier? {
    context.map { Unmanaged<Notifier>.fromOpaque($0).takeUnretainedValue() }
  }
}

// MARK: - What is done

extension Notifier {
  private func carryOut(_ actions: [NoticeBoard.Action]) {
    for action in actions {
      switch action {
      case .show(let notice, let number): show(notice, replacing: number)
      case .openStatus: openStatus()
      case .reportNoServer:
        log(
          """
          a key is worn, and nobody shows notices on this desktop (\(Desktop.notifications.service)): it is shown as soon as \
          somebody does. “keydebounce status” shows the key
          """)
      }
    }
  }

  private func show(_ notice: NoticeBoard.Notice, replacing number: UInt32) {
    guard let call = Desktop.call(showing: notice, replacing: number, on: session.bus) else {
      return carryOut(board.refused())
    }
    defer { withExtendedLifetime(call) {} }
    let result = csystemd_bus_call_async(
      session.bus, nil, call.pointer,
      { answer, context, _ in
        guard let notifier = Notifier.from(context) else { return 0 }
        if let answer = BusMessage(sharing: answer), !answer.isError,
          let number = answer.readNumber()
        {
          notifier.carryOut(notifier.board.shown(as: number))
        } else {
          notifier.carryOut(notifier.board.refused())
        }
        return 0
      }, context, 0)
    if result < 0 { carryOut(board.refused()) }
  }

  private func openStatus() {
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    let terminal = TerminalProgram.first(
      preferred: variable("TERMINAL"), path: variable("PATH") ?? "/usr/bin:/bin")
    if let terminal, start(terminal.call(showingStatusWith: program)) { return }
    log("no terminal was found in which “keydebounce status” could run; TERMINAL may name one")
    carryOut(board.foundNoTerminal())
  }
}
