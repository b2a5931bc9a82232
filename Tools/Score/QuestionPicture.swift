import Foundation

/// The questions as rows of points, to stand under the picture of what typing costs.
struct QuestionPicture {
  private let questions: [Question]
  private let contenders: [Contender]
  /// The number of each family's colour.
  private let colours: [String: Int]
  private let top: Double

  /// - Parameters:
  ///   - colours: The number of each family's colour in the style of the picture.
  ///   - top: Where it begins, in units of the picture.
  init(
    _ questions: [Question], of contenders: [Contender], colours: [String: Int], top: Double
  ) {
    self.questions = questions
    self.contenders = contenders
    self.colours = colours
    self.top = top
  }

  var height: Double { 120 + Double(questions.count) * Self.row }

  private static let left = 412.0
  private static let right = 896.0
  private static let row = 22.0
  /// Percent, or milliseconds.
  private static let scale = (low: 0.001, high: 100.0)

  private var rowsTop: Double { top + 66 }
  private var rowsBottom: Double { rowsTop + Double(questions.count) * Self.row }

  var svg: String {
    ([
      #"<text class="title" x="76" y="\#(Self.text(top + 22))">What else hands and machines do</text>"#
    ]
      + [legend, axis] + questions.indices.map(row))
      .joined(separator: "\n")
  }

  private var legend: String {
    var x = 82.0
    let y = Self.text(top + 44)
    return contenders.map { contender in
      let label = "\(contender.family) \(contender.parameters)"
      defer { x += 34 + Double(label.count) * 6.2 }
      return mark(contender, x: x, y: top + 40)
        + #"<text class="note" x="\#(Self.text(x + 10))" y="\#(y)">\#(label)</text>"#
    }
    .joined(separator: "\n")
  }

  private var axis: String {
    let (above, below) = (Self.text(rowsTop - 6), Self.text(rowsBottom))
    let ticks = [0.001, 0.01, 0.1, 1, 10, 100].map { value in
      let x = Self.text(Self.x(value))
      return #"<path class="grid" d="M\#(x) \#(above)V\#(below)"/>"#
        + #"<text class="tick" x="\#(x)" y="\#(Self.text(rowsBottom + 18))" text-anchor="middle">"#
        + (value == Self.scale.low ? "≤ " : "") + String(format: "%g", value) + "</text>"
    }
    let middle = Self.text((Self.left + Self.right) / 2)
    return
      (ticks + [
        #"<text x="\#(middle)" y="\#(Self.text(rowsBottom + 40))" text-anchor="middle">"#
          + "percent, or milliseconds</text>"
      ])
      .joined(separator: "\n")
  }

  private func row(_ index: Int) -> String {
    let question = questions[index]
    let y = rowsTop + (Double(index) + 0.5) * Self.row
    let (line, base) = (Self.text(y), Self.text(y + 4))
    // The default is drawn last: it is what is asked for.
    let order =
      contenders.indices.filter { !contenders[$0].isDefault }
      + contenders.indices.filter { contenders[$0].isDefault }
    return
      ([
        #"<text x="\#(Self.left - 12)" y="\#(base)" text-anchor="end">\#(question.input): "#
          + "\(question.measure), \(question.unit)</text>",
        #"<path class="grid" d="M\#(Self.left) \#(line)H\#(Self.right)"/>"#,
      ] + order.map { mark(contenders[$0], x: Self.x(question.figures[$0].inUnits), y: y) })
      .joined(separator: "\n")
  }

  /// A point; a diamond for libinput's machine, which has the colour of the other stranger.
  private func mark(_ contender: Contender, x: Double, y: Double) -> String {
    let colour = "c\(colours[contender.family] ?? 0)"
    let (x, y) = (Self.text(x), Self.text(y))
    if case .libinput = contender.rule {
      return #"<path class="\#(colour) point ring" d="M\#(x) \#(y)m0 -5l5 5l-5 5l-5 -5z"/>"#
    }
    return #"<circle class="\#(colour) point" cx="\#(x)" cy="\#(y)" r="4"/>"#
      + (contender.isDefault
        ? #"<circle class="\#(colour) mark" cx="\#(x)" cy="\#(y)" r="8"/>"# : "")
  }

  private static func x(_ value: Double) -> Double {
    let value = min(max(value, scale.low), scale.high)
    return left + log(value / scale.low) / log(scale.high / scale.low) * (right - left)
  }

  private static func text(_ number: Double) -> String {
    String(format: "%.1f", number)
  }
}

extension Question {
  /// In which unit the picture has it.
  fileprivate var unit: String {
    if case .mean = figures.first { "ms" } else { "%" }
  }
}

extension Question.Figure {
  /// Percent, or milliseconds.
  fileprivate var inUnits: Double {
    switch self {
    case .share(let proportion, _): proportion.share * 100
    case .mean(let mean): mean
    }
  }
}
