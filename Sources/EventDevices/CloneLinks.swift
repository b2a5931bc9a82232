import Devices
import Files
import Glibc
import SystemPackage

/// What udev is told of the links to a clone: the stable paths by which programs find it.
///
/// udev makes the links, when it processes the clone. What it cannot know, because a clone is plugged in nowhere, it reads
/// from a file (`69-keydebounce.rules`), which must be there before the clone is: its path is the clone's `phys` below
/// ``folder``. The rule makes no link outside of `/dev/input/by-id` and `by-path`, whatever the file says; but what else it
/// says becomes a property of the clone.
public struct CloneLinks: Equatable, Sendable {
  /// Where the files lie, below the daemon's folder in `/run`.
  public static let folder = "clones"
  /// How many links of the source are claimed at most: a property of udev's for each.
  static let most = 4
  /// How the clone's own link begins.
  static let prefix = "keydebounce-"

  /// The file, below the daemon's folder in `/run`.
  let path: String
  /// The properties that udev gives to the clone.
  let text: String

  /// What there is to be said of the clone of a device; `nil` if that has no link, or no place that could be a path.
  ///
  /// - Parameter claims: Whether the clone gets the source's links.
  public init?(to source: DeviceNode, claims: Bool) {
    let links = source.links.compactMap(Self.name).sorted()
    let parts = source.phys.split(separator: "/", omittingEmptySubsequences: false)
    guard !links.isEmpty, !source.phys.isEmpty,
      parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
    else { return nil }
    path = "\(Self.folder)/\(Clone.physPrefix)\(source.phys)"
    var lines: [String] = []
    if let own = links.first(where: { $0.hasPrefix("input/by-id/") }) ?? links.first,
      let slash = own.lastIndex(of: "/")
    {
      lines.append(
        "KEYDEBOUNCE_LINK=\(own[...slash])\(Self.prefix)\(own[own.index(after: slash)...])")
    }
    if claims {
      for (index, link) in links.prefix(Self.most).enumerated() {
        lines.append("KEYDEBOUNCE_CLAIM_\(index)=\(link)")
      }
    }
    text = lines.joined(separator: "\n") + "\n"
  }

  /// A link's name as udev's rules give it, below `/dev`; `nil` for a link elsewhere.
  private static func name(of link: String) -> String? {
    guard link.hasPrefix("/dev/input/by-id/") || link.hasPrefix("/dev/input/by-path/"),
      !link.utf8.contains(where: { $0 <= 0x20 })
    else { return nil }
    return String(link.dropFirst("/dev/".count))
  }

  /// Writes the file below the daemon's folder.
  ///
  /// - Throws: `Errno` if that fails: the clone has no links then, and that is all.
  public func write(below folder: String) throws(Errno) {
    var parent = folder
    for part in path.split(separator: "/").dropLast() {
      parent += "/\(part)"
      mkdir(parent, 0o755)
    }
    let file = open(
      "\(folder)/\(path)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard file >= 0 else { throw Errno.last }
    defer { close(file) }
    do {
      _ = try FileDescriptor(rawValue: file).writeAll(text.utf8)
    } catch let error as Errno {
      throw error
    } catch {
      throw .ioError
    }
  }
}
