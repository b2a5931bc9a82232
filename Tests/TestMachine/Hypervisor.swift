import Glibc

/// The machine around the virtual machine: QEMU, to which the guest can speak (QMP) as if it were its own
/// operator. It plugs and unplugs devices and presses their keys.
public final class Hypervisor {
  private let port: CInt
  private let lines: LineReader
  private var commands: Int

  /// Opens the connection.
  public init() throws {
    port = open("/dev/virtio-ports/qmp", O_RDWR | O_CLOEXEC)
    guard port >= 0 else {
      throw WaitedInVain(description: "no /dev/virtio-ports/qmp: not in the tests' virtual machine")
    }
    lines = LineReader(port)
    // Answers to an earlier process may still be on their way: none has these numbers.
    commands = Int(getpid()) * 100_000
    // An error if an earlier process did so before.
    _ = try? execute("qmp_capabilities")
  }

  deinit {
    close(port)
  }

  /// Executes a QMP command and waits for its answer.
  ///
  /// - Parameters:
  ///   - command: The command's name.
  ///   - arguments: Its arguments, in JSON.
  public func execute(_ command: String, _ arguments: String = "{}") throws {
    commands += 1
    let text = "{\"execute\": \"\(command)\", \"arguments\": \(arguments), \"id\": \(commands)}\n"
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(port, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else {
        throw WaitedInVain(description: "cannot write to QEMU: \(errno)")
      }
      bytes = bytes.dropFirst(max(count, 0))
    }
    // The greeting, and news of this and that, come in between.
    while let line = lines.next() {
      guard line.contains("\"id\": \(commands)") else { continue }
      guard !line.contains("\"error\"") else {
        throw WaitedInVain(description: "QEMU does not do “\(command)”: \(line)")
      }
      return
    }
    throw WaitedInVain(description: "QEMU does not answer to “\(command)”")
  }

  /// Plugs a USB keyboard in.
  ///
  /// - Parameter serial: Its serial number. QEMU would make one of the port, which is another each time.
  public func plugKeyboard(_ id: String, serial: String? = nil) throws {
    try plug("usb-kbd", as: id, serial.map { ", \"serial\": \"\($0)\"" } ?? "")
  }

  /// Plugs one of QEMU's USB devices in (`usb-kbd`, `usb-mouse`, `usb-tablet`).
  public func plug(_ driver: String, as id: String, _ more: String = "") throws {
    try execute(
      "device_add",
      "{\"driver\": \"\(driver)\", \"id\": \"\(id)\", \"bus\": \"xhci.0\"\(more)}")
  }

  /// Pulls a device out.
  public func unplug(_ id: String) throws {
    try execute("device_del", "{\"id\": \"\(id)\"}")
  }

  /// Waits until a device that was pulled out is gone from QEMU, too: only then is its name free again.
  public func waitForRemoval(of id: String) throws {
    try wait(for: "QEMU to let the device “\(id)” go", lookingEvery: 0) {
      (try? execute("qom-list", "{\"path\": \"/machine/peripheral/\(id)\"}")) == nil
    }
  }

  /// Moves keys of the keyboard plugged in last, in this order.
  ///
  /// QEMU's keyboard sends one change with each poll, so changes given together are a poll apart: 8 ms.
  ///
  /// - Parameter changes: QEMU's names of keys (`a`, `shift`, `spc`, `ret`), and whether they go down.
  public func type(_ changes: [(key: String, down: Bool)]) throws {
    let events = changes.map { change in
      """
      {"type": "key", "data": {"down": \(change.down), \
      "key": {"type": "qcode", "data": "\(change.key)"}}}
      """
    }
    try execute("input-send-event", "{\"events\": [\(events.joined(separator: ", "))]}")
  }

  /// Moves the mouse or pen plugged in last, and its buttons, all in one report.
  ///
  /// - Parameter parts: In QEMU's words: `("rel", "x", 3)`, `("abs", "y", 1000)`, `("btn", "left", 1)`.
  public func point(_ parts: [(kind: String, what: String, value: Int)]) throws {
    let events = parts.map { part in
      let data =
        part.kind == "btn"
        ? "\"down\": \(part.value != 0), \"button\": \"\(part.what)\""
        : "\"axis\": \"\(part.what)\", \"value\": \(part.value)"
      return "{\"type\": \"\(part.kind)\", \"data\": {\(data)}}"
    }
    try execute("input-send-event", "{\"events\": [\(events.joined(separator: ", "))]}")
  }
}
