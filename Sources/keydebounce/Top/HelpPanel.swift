import Terminal

/// What the letters and the signs mean.
extension TopScreen {
  mutating func drawHelp() {
    drawRule("Help")
    for (letters, words) in Self.help {
      let lines = words.wrapped(to: max(10, columns - 18))
      for (index, line) in lines.enumerated() where row < bottom {
        if index == 0 { frame.grid.put(letters, .bold, row: row, column: 2) }
        frame.grid.put(line, row: row, column: 16)
        row += 1
      }
    }
  }

  private static let help = [
    ("Tab", "moves on to the devices, the keyboard, or the table"),
    ("arrows", "select there; so does the mouse"),
    ("c", "measures the selected key, with “keydebounce calibrate”"),
    ("p", "passes everything that the device sends as it is, or debounces it again"),
    ("l", "has the device left alone, with “keydebounce leave”, which asks"),
    ("r", "makes the daemon reload its settings"),
    ("q", "quits; so does Ctrl-C. Ctrl-Z stops it until “fg”"),
    ("", ""),
    ("chatter", "removed: A press bounces, B release bounces, C drop-outs"),
    ("‰, /1000", "of 1000 strokes"),
    ("near", "passed on, though after a gap hardly longer than chatter's"),
    ("gap", "the median of the gaps that were removed, in ms"),
    ("*E*", "much chatter: in one stroke of a hundred, or more"),
    ("+E+", "some chatter"),
    ("[E]", "is selected"),
    ("{E}", "is pressed, or was a moment ago"),
    ("!E!", "something of it was removed just now"),
    ("", ""),
    ("", "Nothing of this is written anywhere. Any key goes back."),
  ]
}

extension String {
  /// The text of a key's health, of which one already says “chatter”.
  var trimmed: String {
    hasSuffix("chatter chatter")
      ? String(dropLast(8)) : self == "none chatter" ? "no chatter" : self
  }
}
