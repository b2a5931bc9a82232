import CEvdev
import Debounce
import EventDevices
import Randomness
import TypingModel

/// A device that sends as quickly as it is read, and loses nothing: each batch ends with a stroke of the mark that no
/// strategy touches, and the next is sent when that has come through. The kernel keeps 64 events for a reader who is late.
///
/// One key, another one in each flood: `adaptive` may have withdrawn eight strokes of each key, and delivers those of all
/// keys at once when a machine shows itself. There must be room for them beside those of a batch.
final class SoakFlood {
  let device: SoakDevice
  private let key: KeyCode
  private var batches: Int
  private var strokesOfMark: Int
  /// When the last batch was sent.
  private(set) var sentAt = monotonicNow()

  init(of device: SoakDevice, key: KeyCode, batches: Int) {
    self.device = device
    self.key = key
    self.batches = batches
    strokesOfMark = device.reader?.strokes[device.readMark] ?? 0
  }

  /// Whether the last batch has been read and come through, or never will.
  var isAnswered: Bool {
    // The mark may be among what was lost; that there was a loss, and whose, is judged in the account.
    guard let reader = device.reader, device.isGrabbed, !reader.hasLost else { return true }
    return reader.strokes[device.readMark, default: 0] >= strokesOfMark
  }

  /// Sends the next batch.
  ///
  /// - Returns: Whether there was one.
  func goOn(_ random: inout SeededRandom) throws -> Bool {
    guard batches > 0, device.isGrabbed, device.reader?.hasLost != true else { return false }
    batches -= 1
    var movements: [(axis: CInt, value: Int)] = []
    if device.kind == .mouse {
      for _ in 0..<16 {
        let axis = [REL_X, REL_Y, REL_WHEEL].randomElement(using: &random) ?? REL_X
        movements.append((axis, Int.random(in: 1...100, using: &random)))
      }
    }
    // With scan codes and the ends of frames, an edge is three events. The reader's buffer has room for 64.
    let strokes = device.kind == .mouse ? 3 : device.kind == .scanning ? 2 : 5
    var edges: [(key: KeyCode, down: Bool)] = []
    for _ in 0..<strokes {
      edges += [(key, true), (key, false)]
    }
    edges += [(device.readMark, true), (device.readMark, false)]
    strokesOfMark += 1
    sentAt = monotonicNow()
    try device.send(atOnce: edges, movements: movements)
    return true
  }
}
