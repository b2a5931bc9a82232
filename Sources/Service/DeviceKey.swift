import EventDevices

/// Which device counts belong to: the same one wherever it is plugged in, and one of its nodes.
struct DeviceKey: Hashable {
  static let suffix = ".counts.json"

  let name: String
  let bus: UInt16
  let vendor: UInt16
  let product: UInt16
  /// Its serial number or address.
  private let uniq: String
  /// Which of its nodes it is: the end of where it is plugged in, as `input0`.
  private let part: String

  init(_ node: DeviceNode) {
    name = node.name
    bus = node.bus
    vendor = node.vendor
    product = node.product
    uniq = node.uniq
    part = String(node.phys.split(separator: "/").last ?? "")
  }

  /// The numbers, and a digest of what else tells it from others.
  var fileName: String {
    // FNV-1a: names may hold anything, and be long.
    var digest: UInt64 = 0xcbf2_9ce4_8422_2325
    for text in [name, uniq, part] {
      for byte in text.utf8 + [0] { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    let numbers = [bus, vendor, product].map { hexadecimal(UInt64($0), digits: 4) }
    return numbers.joined(separator: "-") + "-" + hexadecimal(digest, digits: 16) + Self.suffix
  }

  private func hexadecimal(_ number: UInt64, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}

/// What becomes of a device's counts when it is gone.
enum Counting: Equatable {
  /// They are forgotten.
  case notKept
  /// They will be kept as soon as it is known what was counted before.
  case awaitingEarlier(DeviceKey)
  /// They are kept.
  case kept(DeviceKey)

  var device: DeviceKey? {
    switch self {
    case .notKept: nil
    case .awaitingEarlier(let device), .kept(let device): device
    }
  }
}
