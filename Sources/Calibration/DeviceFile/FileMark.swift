import Devices

/// What a device file of `take` or `leave` is for.
public enum DeviceFilePurpose: String, Sendable {
  case take, leave
}

/// The first line of a device file that `take` or `leave` has written: by it they know the file, and whether it was changed
/// by hand since.
///
/// ```
/// # Written by keydebounce take; checksum cbf29ce484222325
/// ```
struct FileMark: Equatable {
  let purpose: DeviceFilePurpose
  /// The checksum of what follows the line.
  let checksum: UInt64

  init(_ purpose: DeviceFilePurpose, of body: String) {
    self.purpose = purpose
    checksum = Self.checksum(of: body.utf8)
  }

  /// The mark in the first line of a file; `nil` if there is none: then the file was written by hand.
  init?(in text: String) {
    let words = text.prefix { !$0.isNewline }.split(separator: " ")
    guard words.count == 7, words[..<4].elementsEqual(Self.beginning), words[4].hasSuffix(";"),
      words[5] == "checksum",
      let purpose = DeviceFilePurpose(rawValue: String(words[4].dropLast())),
      let checksum = UInt64(words[6], radix: 16)
    else { return nil }
    self.purpose = purpose
    self.checksum = checksum
  }

  /// The line, without its end.
  var line: String {
    Self.beginning.joined(separator: " ")
      + " \(purpose.rawValue); checksum \(checksum.hexadecimal(digits: 16))"
  }

  /// Whether what follows the first line is as it was written.
  func isIntact(in text: String) -> Bool {
    let bytes = text.utf8
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return false }
    return Self.checksum(of: bytes[bytes.index(after: end)...]) == checksum
  }

  private static let beginning: [Substring] = ["#", "Written", "by", "keydebounce"]

  /// FNV-1a: it is to notice an editor, not an enemy, who could as well delete the line.
  private static func checksum(of bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
