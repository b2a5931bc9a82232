import Glibc

/// Why a call to the daemon failed.
public enum ControlError: Error, Equatable, CustomStringConvertible {
  /// The library through which the bus is reached is not on this machine.
  case noLibrary(reason: String)
  /// There is no system bus, or it cannot be reached.
  case noBus(reason: CInt)
  /// No daemon is on the bus.
  case notRunning
  /// The bus lets only root and the group `keydebounce` call this.
  case refused(member: String)
  /// Another program has borrowed the device.
  case lent(String)
  /// The daemon does not hold the device.
  case notHeld(String)
  /// The device has no such key.
  case noSuchKey(String, device: String)
  /// The daemon answered with an error, or with something that this version does not know, or not at all.
  case failed(member: String, text: String)

  public var description: String {
    switch self {
    case .noLibrary(let reason):
      """
      cannot reach the daemon: that takes the system bus, and libsystemd to reach it (\(reason)). The daemon needs \
      neither: its log says what it does, and a SIGHUP makes it reload its settings
      """
    case .noBus(let reason):
      """
      cannot reach the system bus (\(String(cString: strerror(reason)))), through which commands reach the daemon. \
      Is dbus running? See “systemctl status dbus”
      """
    case .notRunning:
      """
      the daemon is not running, or not on the system bus. See “systemctl status keydebounce”; \
      “sudo systemctl start keydebounce” starts it
      """
    case .refused("Pause"), .refused("Resume"), .refused("Reload"):
      """
      only root, members of the group “keydebounce” and, where polkit runs, whoever sits at the machine may pause, \
      resume and reload. Try sudo
      """
    case .refused("Watch"):
      "only root may watch what the daemon does: it shows what is typed. Try sudo"
    case .refused(let member):
      """
      the bus does not let this user call “\(member)”: only root and members of the group \
      “keydebounce” may. Try sudo
      """
    case .lent(let device):
      """
      \(device) is already lent to another program (keydebounce monitor, record or calibrate); end that \
      one first
      """
    case .notHeld(let device):
      "the daemon does not hold \(device) any more. “keydebounce status” shows the devices that it holds"
    case .noSuchKey(let key, let device):
      "\(device) has no key \(key). “keydebounce keys” shows the names of keys"
    case .failed(let member, let text):
      "the daemon did not answer “\(member)” as expected: \(text)"
    }
  }
}
