import ArgumentParser

/// How a command writes for a screen reader or a Braille display.
struct PlainOption: ParsableArguments {
  @Flag(
    name: .customLong("plain"),
    help: ArgumentHelp(
      "Write one fact a line, without drawings, columns or colours: for screen readers. (default: on a dumb terminal)"
    ))
  var isPlain = false
}
