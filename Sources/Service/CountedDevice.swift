import EventDevices
import Status

/// The device that counts belong to, as they are stored: the same one wherever it is plugged in, and one of its nodes.
struct CountedDevice: Hashable {
  static let suffix = ".counts.json"
  static let daysSuffix = ".days"

  /// Its identity without what changes: the version, and where it is plugged in. Its `phys` is which of its nodes it is,
  /// as `input0`.
  private(set) var identity: DeviceIdentity

  init(_ identity: DeviceIdentity) {
    self.identity = identity
    self.identity.version = 0
    self.identity.phys = String(identity.phys?.split(separator: "/").last ?? "")
  }

  /// The name of its file.
  var fileName: String { stem + Self.suffix }

  /// The name of the file beside that, for as long as that one is another version's, or damaged: it is left alone.
  var fileNameBeside: String { "\(stem).format-\(StoredCounts.presentFormat)\(Self.suffix)" }

  /// The same of the file with its days.
  var daysFileName: String { stem + Self.daysSuffix }
  var daysFileNameBeside: String {
    "\(stem).format-\(StoredDays.presentFormat)\(Self.daysSuffix)"
  }

  /// The numbers, and a digest of what else distinguishes it from others.
  private var stem: String {
    // FNV-1a: names may hold anything, and be long.
    var digest: UInt64 = 0xcbf2_9ce4_8422_2325
    for text in [identity.name, identity.uniq ?? "", identity.phys ?? ""] {
      for byte in text.utf8 + [0] { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    let numbers = [identity.bus, identity.vendor, identity.product]
      .map { $0.hexadecimal() }
    return numbers.joined(separator: "-") + "-" + digest.hexadecimal(digits: 16)
  }
}

/// What becomes of a device's counts when it is gone.
enum CountsStorage: Equatable {
  /// They are forgotten.
  case notKept
  /// They will be kept as soon as it is known what was counted before.
  case awaitingEarlier(CountedDevice)
  /// They are kept.
  case kept(CountedDevice)

  var device: CountedDevice? {
    switch self {
    case .notKept: nil
    case .awaitingEarlier(let device), .kept(let device): device
    }
  }
}
