/// How much of what the bus sends is passed on to the library that reads messages.
///
/// The bus delivers messages of many megabytes, which anybody may send, and the library takes each into memory as a whole. Here
/// the header alone is read. Of a message whose body is too long, or which brings descriptors and is no answer, the header is
/// passed on without a body: the library then answers that the arguments are not those of the method. A header that is too
/// long goes with its message. Bytes that are not passed on are not kept.
///
/// The bus has checked that each message is well formed.
struct BusIntake {
  /// What a call may hold: a path and a key's name have room in it.
  static let longestCall = 8192
  /// What an answer may hold. Only the bus and polkit are asked; a user may have some thousand groups.
  static let longestAnswer = 65_536
  /// What a header may hold besides its fixed part.
  static let longestHeader = 4096
  private static let fixedPart = 16

  private enum Stage {
    /// A line of the greeting, of which so many bytes were read.
    case line(Int)
    case header
    /// So many bytes of a body, or of all that is left of a message that is too long.
    case body(Int, isPassedOn: Bool)
  }

  private var stage = Stage.line(0)
  private var header: [UInt8] = []

  /// How many bytes may be received at once, so that they are of one message. What comes with them is that message's, too.
  var missing: Int {
    switch stage {
    case .body(let length, _) where length > 0: length
    case .header: headerLength - header.count
    case .line: 1
    case .body: Self.fixedPart
    }
  }

  /// Whether the message goes on with what it brought. Known from the end of its header to that of its body, otherwise `nil`.
  var passesOnDescriptors: Bool? {
    if case .body(_, let isPassedOn) = stage { isPassedOn } else { nil }
  }

  /// Receives bytes of the bus, and appends those that are passed on.
  ///
  /// - Returns: Whether they are a bus's.
  mutating func receive(_ bytes: UnsafeRawBufferPointer, passingOn output: inout [UInt8]) -> Bool {
    var rest = bytes[...]
    while let next = rest.first {
      switch stage {
      case .line(let length):
        // A message begins with its byte order; no line of the greeting does with one of these.
        if length == 0, next == UInt8(ascii: "l") || next == UInt8(ascii: "B") {
          stage = .header
          continue
        }
        guard length < Self.longestHeader else { return false }
        output.append(next)
        rest = rest.dropFirst()
        stage = .line(next == UInt8(ascii: "\n") ? 0 : length + 1)
      case .header:
        let missing = headerLength - header.count
        header += rest.prefix(missing)
        rest = rest.dropFirst(missing)
        if header.count >= Self.fixedPart, header.count == headerLength { passOnHeader(&output) }
      case .body(let length, let isPassedOn):
        if isPassedOn { output += rest.prefix(length) }
        let missing = length - min(length, rest.count)
        rest = rest.dropFirst(length)
        stage = missing > 0 ? .body(missing, isPassedOn: isPassedOn) : .header
      }
    }
    return true
  }

  /// How long the header is, as far as that is known: only the fixed part of one that is too long.
  private var headerLength: Int {
    guard header.count >= Self.fixedPart, number(at: 12) <= Self.longestHeader else {
      return Self.fixedPart
    }
    return Self.fixedPart + paddedFields
  }

  private var paddedFields: Int { (number(at: 12) + 7) / 8 * 8 }

  /// Passes on a header that is complete, and decides what becomes of the body.
  private mutating func passOnHeader(_ output: inout [UInt8]) {
    defer { header.removeAll(keepingCapacity: true) }
    let body = number(at: 4)
    stage = .body(body, isPassedOn: false)
    guard number(at: 12) <= Self.longestHeader else {
      stage = .body(paddedFields + body, isPassedOn: false)
      return
    }
    guard let fields = fieldsOfBody() else { return }
    let isAnswer = header[1] == 2 || header[1] == 3
    // The bus tells with a descriptor, too, which process a client is.
    let isRefused = fields.haveDescriptors && !isAnswer
    if body <= (isAnswer ? Self.longestAnswer : Self.longestCall), !isRefused {
      stage = .body(body, isPassedOn: true)
    } else {
      for index in 4..<8 { header[index] = 0 }
      // A field of a kind that is unknown is passed over.
      for place in fields.places { header[place] = 255 }
    }
    output += header
  }

  /// Where the fields are that describe the body: its signature, and how many descriptors come with it. `nil` if that cannot
  /// be found out.
  private func fieldsOfBody() -> (places: [Int], haveDescriptors: Bool)? {
    var (places, haveDescriptors): ([Int], Bool) = ([], false)
    let end = Self.fixedPart + number(at: 12)
    var place = Self.fixedPart
    while place < end {
      place = (place + 7) / 8 * 8
      // The kind, and a signature of one type.
      guard place + 5 <= end, header[place + 1] == 1, header[place + 3] == 0 else { return nil }
      switch header[place] {
      case 8: places.append(place)
      case 9:
        places.append(place)
        haveDescriptors = true
      default: break
      }
      let value = place + 4
      switch UInt8(header[place + 2]) {
      case UInt8(ascii: "s"), UInt8(ascii: "o"):
        guard value + 4 <= end else { return nil }
        place = value + 4 + number(at: value) + 1
      case UInt8(ascii: "g"): place = value + 1 + Int(header[value]) + 1
      case UInt8(ascii: "u"): place = value + 4
      default: return nil
      }
      guard place <= end else { return nil }
    }
    return (places, haveDescriptors)
  }

  private func number(at place: Int) -> Int {
    let bytes = header[place..<place + 4]
    let inOrder = header[0] == UInt8(ascii: "l") ? Array(bytes.reversed()) : Array(bytes)
    return inOrder.reduce(0) { $0 << 8 | Int($1) }
  }
}
