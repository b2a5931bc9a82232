import Debounce
import EventDevices
import Samples
import Status
import Testing

@Suite("Counts as JSON")
struct StoredCountsTests {
  /// A file as version 0.1.0 wrote it.
  private let file = """
    {"bus":3,"format":1,"keys":[{"code":18,"drop_outs":3,"forgotten":1,"gaps":[0,0,4],"holds":[],\
    "is_bridging":true,"key":"KEY_E","learned":2,"near_misses":5,"press_bounces":1,"release_bounces":2,\
    "removed_gaps":[0,6],"removed_holds":[1],"strokes":40,"taken":7}],"name":"Desk","product":288,\
    "vendor":13364}
    """

  private var counts: KeyCounts {
    var counts = KeyCounts()
    (counts.strokes, counts.suppressed, counts.nearMisses) = (40, 7, 5)
    (counts.chatter.pressBounces, counts.chatter.releaseBounces, counts.chatter.dropOuts) = (
      1, 2, 3
    )
    (counts.learned, counts.forgotten) = (2, 1)
    counts.gaps = IntervalHistogram([0, 0, 4])
    counts.removedGaps = IntervalHistogram([0, 6])
    counts.removedHolds = IntervalHistogram([1])
    return counts
  }

  @Test("are read from a file of format 1")
  func read() throws {
    let stored = try StatusJSON.decode(StoredCounts.self, from: Array(file.utf8))
    #expect(stored.format == StoredCounts.presentFormat)
    #expect(stored.device == DeviceIdentity(name: "Desk", bus: 3, vendor: 0x3434, product: 0x120))
    #expect(
      stored.keys == [KeyStatus(key: "KEY_E", code: 18, counts: counts, isBad: true)])
    // Such a file does not say what was learned.
    #expect(stored.habits.isEmpty && stored.since == nil)
  }

  @Test("are what the status says, and come back from it")
  func status() throws {
    let status = StatusSamples.manyDevices
    let bytes = try StatusJSON.encode(status)
    #expect(try StatusJSON.decode(DaemonStatus.self, from: bytes) == status)
    let text = String(decoding: try StatusJSON.encode(status.devices[0]), as: UTF8.self)
    #expect(text.contains("\"presses_in\":2,\"presses_out\":1,"))
    #expect(text.contains("\"press_bounces\":1,"))
    #expect(text.contains("\"name\":\"Optical Mouse\""))
    #expect(!text.contains("uniq"))
  }

  @Test("of more classes than there are keep those that there are")
  func longHistogram() throws {
    let bytes = Array("[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]".utf8)
    let histogram = try StatusJSON.decode(IntervalHistogram.self, from: bytes)
    #expect(histogram.values == Array(1...16))
    #expect(histogram != IntervalHistogram(1...15))
  }
}
