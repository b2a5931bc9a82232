import Debounce
import Testing

@testable import Calibration

/// A stream made by hand for each finding.
@Suite("Diagnoses")
struct VerdictTests {
  /// Sixty single taps, of which the ones at these numbers are given instead.
  private func taps(_ count: Int = 60, _ odd: (Int, inout Streams) -> Bool) -> Observer {
    var stream = Streams()
    for index in 0..<count where !odd(index, &stream) { stream.add(key, 95) }
    return stream.observed(during: .taps(key))
  }

  /// Adds what a person's doubles look like.
  private func withDoubles(_ observer: Observer, _ gaps: [Double]) -> Observer {
    var stream = Streams()
    stream.add(other, 100, rest: 2_000_000)
    for gap in gaps { stream.add(key, 80, gap, 90, rest: 700) }
    return stream.observed(during: .doubles(key), by: observer)
  }

  private let usual: [Double] = [
    62, 70, 75, 78, 80, 84, 66, 71, 90, 95, 73, 69, 77, 81, 88, 64, 79, 85, 92, 76,
  ]

  @Test("healthy: with the bound that the sample allows")
  func healthy() throws {
    let diagnosis = Analysis(taps { _, _ in false }).diagnosis(of: key)
    guard case .healthy(let bound) = diagnosis.finding else {
      Issue.record("\(diagnosis.finding)")
      return
    }
    #expect(abs(bound - 0.0487) < 1e-4)
    #expect(diagnosis.proposal == nil)
    #expect(!diagnosis.isFaulty)
    #expect(diagnosis.rate == FaultRate(faults: 0, strokes: 60))
  }

  @Test("too few data: with how many more strokes it takes")
  func tooFew() {
    let diagnosis = Analysis(taps(20) { _, _ in false }).diagnosis(of: key)
    guard case .tooFewData(let needed) = diagnosis.finding else {
      Issue.record("\(diagnosis.finding)")
      return
    }
    #expect((39...45).contains(needed))
    #expect(Analysis(Observer()).diagnoses.isEmpty)
  }

  @Test("one fault alone is not enough to call a switch bad, nor to call it healthy")
  func oneFault() {
    let diagnosis = Analysis(
      taps(150) { index, stream in
        if index == 30 { stream.add(key, 10, 9, 80) }
        return index == 30
      }
    ).diagnosis(of: key)
    guard case .tooFewData = diagnosis.finding else {
      Issue.record("\(diagnosis.finding)")
      return
    }
  }

  @Test("chatters: bounces are cured without latency for releases, or hardly any")
  func chatters() throws {
    let observer = withDoubles(
      taps { index, stream in
        guard index % 6 == 3 else { return false }
        if index % 4 == 1 { stream.add(key, 12, 9, 80) } else { stream.add(key, 90, 11, 8) }
        return true
      }, usual)
    let diagnosis = Analysis(observer).diagnosis(of: key)
    #expect(diagnosis.finding == .chatters)
    #expect(diagnosis.rate.faults == 10)
    #expect(diagnosis.rate.interval.contains(1 / 6.0))
    #expect(diagnosis.humanBand.lowerBound > 25)
    #expect(diagnosis.humanBand.contains(60))
    let proposal = try #require(diagnosis.proposal)
    #expect(proposal.missed.value < 0.05)
    #expect(proposal.missed.interval.contains(proposal.missed.value))
    #expect(proposal.lostPerThousand.value < 1)
    #expect(proposal.pressLatency < 1)
    #expect(diagnosis.faultGaps.map { $0.p50 > 8 && $0.p50 < 12 } == true)
  }

  @Test("drops out: releases are made to wait longer than its gaps, and less than the person's")
  func dropsOut() throws {
    let gaps: [Double] = [9, 12, 14, 18, 11, 16, 13, 15, 10, 17]
    let observer = withDoubles(
      taps { index, stream in
        guard index % 6 == 3 else { return false }
        stream.add(key, 60, gaps[index / 6], 50)
        return true
      }, usual)
    let diagnosis = Analysis(observer).diagnosis(of: key)
    #expect(diagnosis.finding == .dropsOut)
    let proposal = try #require(diagnosis.proposal)
    #expect((18...45).contains(proposal.setting.windows.dropout))
    #expect(proposal.releaseLatency > 10)
  }

  @Test("overlap: with the trade-off, not with one number alone")
  func overlap() throws {
    let gaps: [Double] = [55, 70, 88, 64, 95, 60, 78, 50, 83, 72]
    let observer = withDoubles(
      taps { index, stream in
        guard index % 6 == 3 else { return false }
        stream.add(key, 60, gaps[index / 6], 50)
        return true
      }, usual)
    let diagnosis = Analysis(observer).diagnosis(of: key)
    #expect(diagnosis.finding == .overlap)
    #expect(diagnosis.isFaulty)
    // Whatever one sets, most of it comes through.
    #expect(diagnosis.proposal == nil)
    #expect(diagnosis.tradeOff.count > 10)
    for (less, more) in zip(diagnosis.tradeOff, diagnosis.tradeOff.dropFirst()) {
      #expect(more.missed.value <= less.missed.value)
      #expect(more.lostPerThousandDoubles.value >= less.lostPerThousandDoubles.value)
    }
  }

  @Test("receiver bursts: what looks like bounces in typing is not held against the switch")
  func bursts() {
    var stream = Streams()
    for _ in 0..<60 { stream.add(key, 90, rest: 150) }
    var observer = stream.observed()
    for index in 0..<20 {
      let time = stream.now + Microseconds(index) * 500_000 + 2_000_000
      for code: KeyCode in [16, 17, key] {
        observer.receive(code, value: 1, at: time, during: .typing)
      }
      // The key's own double, squeezed together.
      observer.receive(key, value: 0, at: time + 60_000, during: .typing)
      if index % 4 == 0 {
        observer.receive(key, value: 1, at: time + 61_000, during: .typing)
        observer.receive(key, value: 0, at: time + 64_000, during: .typing)
      }
      for code: KeyCode in [16, 17] {
        observer.receive(code, value: 0, at: time + 64_000, during: .typing)
      }
    }
    observer.advance(to: .max)
    #expect(observer.link.isBursty)
    #expect(observer[key].test.isCertain)
    #expect(Analysis(observer).diagnosis(of: key).finding == .receiverBursts)
  }

  @Test("suspects are the keys that few fingers explain, the worst first")
  func suspects() {
    var stream = Streams()
    for index in 0..<60 {
      stream.add(30, 90, rest: 200)
      stream.add(18, 80, 75, 90, rest: 200)
      if index % 20 == 0 { stream.add(31, 90, 9, 12) } else { stream.add(31, 90) }
      if index == 7 { stream.add(20, 12, 8, 90) } else { stream.add(20, 90) }
    }
    #expect(Analysis(stream.observed()).suspects() == [31, 20])
  }
}
