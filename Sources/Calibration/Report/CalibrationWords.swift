import Configuration
import Debounce
import Status
import TerminalText

/// A finding in words.
extension Diagnosis.Finding {
  /// In a column of a table.
  var title: String {
    switch self {
    case .healthy: "healthy"
    case .chatters: "chatters"
    case .dropsOut: "drops out"
    case .overlap: "bands overlap"
    case .tooFewData: "too few data"
    case .receiverBursts: "receiver bursts"
    }
  }

  /// As a value in JSON.
  var code: String {
    String(title.map { $0 == " " ? "-" : $0 })
  }

  var styles: [Style] {
    switch self {
    case .healthy: [.green]
    case .chatters, .dropsOut: [.red]
    case .overlap: [.bold, .red]
    case .tooFewData: [.faint]
    case .receiverBursts: [.yellow]
    }
  }
}

extension Diagnosis {
  /// The key's name, as configuration files have it.
  var name: String { KeyNames.name(of: key) }

  /// The key for a person: its name, and what stands on it if that is something else, as in KEY_Y (Z).
  var title: String { KeyNames.title(of: key, label) }

  /// What the person should do.
  var advice: String {
    switch finding {
    case .healthy(let bound):
      "Leave it alone: fewer than \(bound.percent) of its strokes are faulty, with 95 % confidence."
    case .chatters:
      "The setting cures it. Cleaning or replacing the switch would, too, and costs no latency."
    case .dropsOut:
      "The contact is lost while the key is held: its releases must wait. Clean or replace the switch."
    case .overlap where proposal == nil:
      """
      No setting would remove half of its chatter without taking presses of yours, as the table shows: none is \
      proposed. Have the switch cleaned or replaced.
      """
    case .overlap:
      """
      Its chatter comes as late as your own second presses: every threshold either lets chatter through or \
      takes presses of yours. Choose by the table what you would rather have, and have the switch cleaned or \
      replaced.\(isRateLabelled ? "" : " A guided measurement of this key shows its longer gaps, and may find more.")
      """
    case .tooFewData(let strokes):
      "Nothing is certain yet; \(strokes.counted("stroke")) more without a fault would show that it is healthy."
    case .receiverBursts:
      """
      Several events come at once, as from a wireless receiver that stalls: that looks like chatter and may \
      be none. Move the receiver nearer, or use a cable, and measure again.
      """
    }
  }

  /// The faults by kind: 9 press bounces (A), 1 drop-out (C).
  var faultsInWords: String {
    let words = Chatter.inWords(showingLetters: true) { faults[$0] }
    return words.isEmpty ? "none" : words.joined(separator: ", ")
  }

  /// The rate of faults and its interval: 7.5 %, 3.9–13 %; below 1.2 %.
  var rateInWords: String {
    if rate.faults == 0 { return "below \(rate.upperBound.percent)" }
    return "\(rate.share.percent), \(rate.interval.percent)"
  }
}

extension Setting {
  /// In a column of a table: adaptive 25 ms.
  var title: String {
    "\(strategy.name) \(values.map(\.milliseconds.short).joined(separator: "/")) ms"
  }

  /// With the names of what is set: confirm, settle 55, suspect 50, dropout 0 ms.
  var inWords: String {
    let values = values.map { "\($0.name) \($0.milliseconds.short)" }
    return "\(([strategy.name] + values).joined(separator: ", ")) ms"
  }
}

extension Estimate {
  /// The value and its interval: 0.31 (0.1–0.9).
  var inWords: String {
    interval.lowerBound == interval.upperBound ? value.short : "\(value.short) (\(interval.short))"
  }

  /// The value and its interval in percent.
  var percentInWords: String {
    interval.lowerBound == interval.upperBound
      ? value.percent : "\(value.percent) (\(interval.percent))"
  }
}

extension Percentiles {
  /// 3.1 / 4.0 / 8.5 / 14 / 17 ms.
  var inWords: String {
    [p1, p5, p50, p95, p99].map(\.short).joined(separator: " / ") + " ms"
  }
}

extension CalibrationResult.Method {
  /// How it was measured, for the person and for the file.
  var inWords: String {
    switch self {
    case .guided: "a guided calibration (typing, single taps, long holds, doubles)"
    case .passive: "listening to ordinary work"
    case .recording(let file): "the recording \(file.printable)"
    case .counts: "what the service has counted"
    }
  }

  /// As a value in JSON.
  var code: String {
    switch self {
    case .guided: "guided"
    case .passive: "passive"
    case .recording: "recording"
    case .counts: "counts"
    }
  }
}

extension KeyNames {
  /// A key for a person: its name, and what stands on it if that is something else.
  static func title(of key: KeyCode, _ label: String?) -> String {
    name(of: key) + (label.map { " (\($0.printable))" } ?? "")
  }
}
