import Glibc

/// What a user who may not open a device file lacks, and what to do about it.
enum Access {
  static func adviceForSource(_ path: String) -> String {
    "\(describe(path)). Run keydebounce as its own service user or with sudo; a login user in that group"
      + " could read every key that anyone types"
  }

  static func adviceForUinput(_ path: String) -> String {
    "\(describe(path)). Run keydebounce with sudo, or as its service, whose own node /dev/keydebounce/uinput"
      + " is made by “sudo systemd-tmpfiles --create keydebounce.conf”"
  }

  /// Who may open the file.
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
