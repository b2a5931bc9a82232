import Glibc
import SystemPackage

/// Why a device cannot be used.
public enum DeviceError: Error, Equatable {
  /// This user may not open the file. `advice` names the group or rule that is missing.
  case permission(path: String, advice: String)
  /// There is no `/dev/uinput`, or nothing behind it.
  case uinputMissing(Errno)
  /// Another program has grabbed the device (`EVIOCGRAB`). `holders` are the programs that have it open, if they were looked
  /// for.
  case busy(path: String, holders: [DeviceHolder])
  /// The device was unplugged.
  case gone(path: String)
  /// Any other call that failed.
  case system(operation: String, path: String, Errno)
}

extension DeviceError {
  /// The error of a call that failed: ``gone(path:)`` if the reason says so.
  init(_ operation: String, _ path: String, _ reason: Errno) {
    self =
      reason.meansMissing
      ? .gone(path: path) : .system(operation: operation, path: path, reason)
  }
}

extension DeviceError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .permission(let path, let advice):
      "no permission to open \(path): \(advice)"
    case .uinputMissing(let errno):
      """
      /dev/uinput cannot be opened (\(errno)): the kernel module “uinput” is not loaded. \
      Load it with “sudo modprobe uinput”, and at every boot by a line “uinput” in \
      /etc/modules-load.d/uinput.conf
      """
    case .busy(let path, let holders):
      """
      another program has grabbed \(path)\
      \(holders.isEmpty ? "" : "; these have it open: " + holders.map(\.description).joined(separator: ", ")). \
      Only one program can grab a keyboard; stop the other, or let it read keydebounce's device
      """
    case .gone(let path):
      "\(path) was unplugged"
    case .system(let operation, let path, let errno):
      "cannot \(operation) \(path): \(errno)"
    }
  }
}

extension Errno {
  /// Whether the reason is that the user may not do it.
  var meansRefused: Bool { self == .permissionDenied || self == .notPermitted }

  /// Whether the reason is that there is no such device, or none any more.
  var meansMissing: Bool {
    self == .noSuchFileOrDirectory || self == .operationNotSupportedByDevice
      || self == .noSuchAddressOrDevice
  }
}

/// Advice to a user who may not open a device file.
enum Access {
  static func adviceForSource(_ path: String) -> String {
    "\(describe(path)). Run keydebounce as its own service user or with sudo; a login user in that group"
      + " could read every key that anyone types"
  }

  static func adviceForUinput(_ path: String) -> String {
    "\(describe(path)). Run keydebounce with sudo, or as its service, whose own node /dev/keydebounce/uinput"
      + " is made by “sudo systemd-tmpfiles --create keydebounce.conf”"
  }

  /// A sentence on who may open the file.
  private static func describe(_ path: String) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else { return "its owner is unknown" }
    let group = getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) }
    let mode = String(status.st_mode & 0o777, radix: 8)
    return
      "it belongs to the group “\(group ?? String(status.st_gid))” (mode 0\(mode)), and this user"
      + " is not in it or the mode does not let the group in"
  }
}
