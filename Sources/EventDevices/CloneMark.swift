import Glibc
import SystemPackage

/// The mark by which udev's rule knows the clone of a device: an empty file below the daemon's folder in `/run`.
///
/// Whoever may open uinput can give a device the name and the place of a clone. But nobody else can write to that folder, and
/// the kernel gives the number N of a device's `inputN` once. So the file's name says which clone stands in for which device,
/// and root only asks whether it is there (`udev-rules/keydebounce-clone`): it reads nothing that the daemon has written.
///
/// There is no number before there is a clone, and udev may look at once. So another file says that a clone is about to be made,
/// and udev waits for its mark, for a second at most.
public struct CloneMark: Sendable {
  private static let prefix = "clone-"

  private let folder: String
  private let source: String

  /// The mark for the clone of a device.
  ///
  /// - Parameters:
  ///   - claimsLinks: Whether the clone gets the source's links, too.
  ///   - folder: The daemon's folder.
  public init(for source: DeviceNode, claimsLinks: Bool, below folder: String) {
    self.folder = folder
    self.source = (claimsLinks ? "as" : "of") + "-" + source.inputName
  }

  private var announcement: String { "\(folder)/\(Self.prefix)to-come" }

  /// Says that a clone is about to be made. If it cannot be said, the mark cannot be made either, which is reported then.
  func announce() {
    let file = open(
      announcement, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    if file >= 0 { close(file) }
  }

  /// Says that the clone has its mark, or was not made.
  func endAnnouncement() { unlink(announcement) }

  /// Makes the file for a clone that was made just now.
  ///
  /// - Parameter clone: Its folder in sysfs.
  /// - Returns: The file's path.
  func make(for clone: String) throws(Errno) -> String {
    let path = "\(folder)/\(Self.prefix)\(clone.split(separator: "/").last ?? "")-\(source)"
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw Errno.last }
    close(file)
    return path
  }

  /// Removes the marks of all clones: none is there when the daemon starts, and all go when it ends.
  public static func removeAll(below folder: String) {
    for name in (try? entries(of: folder)) ?? [] where name.hasPrefix(prefix) {
      unlink("\(folder)/\(name)")
    }
  }
}
