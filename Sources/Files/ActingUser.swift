import Glibc

/// Root, acting as another user for a while, so that only files are used that this user may use.
public struct ActingUser {
  private let groups: [gid_t]

  /// - Returns: `nil` if the process is not root's, or if root may not change its user here, as in some containers.
  public init?(_ user: uid_t, _ group: gid_t) {
    guard geteuid() == 0 else { return nil }
    var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
    guard getgroups(CInt(groups.count), &groups) >= 0 else { return nil }
    self.groups = groups
    // A user without an entry in the list of users has no further groups.
    let result =
      getpwuid(user).map { initgroups($0.pointee.pw_name, group) } ?? setgroups(1, [group])
    guard result == 0, setegid(group) == 0, seteuid(user) == 0 else {
      resign()
      return nil
    }
  }

  /// Makes root act as root again.
  public func resign() {
    seteuid(0)
    setegid(0)
    setgroups(groups.count, groups)
  }
}
