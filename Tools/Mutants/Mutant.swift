/// One change of a source file.
struct Mutant: Equatable {
  enum Change: Equatable {
    /// An operator becomes another.
    case symbol(String, becomes: String)
    /// A number is doubled; 0 becomes 1.
    case number(String)
    /// `true` becomes `false`, or the other way round.
    case truth(String)
    /// What was to hold is to fail.
    case condition
  }

  /// The number by which it is chosen when a test runs.
  let number: Int
  let file: String
  let line: Int
  /// The whole line, without the white space around it.
  let text: String
  let change: Change
  /// Which of the equal changes of equal lines of the file it is, from 1.
  var occurrence = 1
  /// What tells it from others for as long as its file stays as it is.
  let identity: String

  /// What is changed, as `< becomes <=`.
  var summary: String {
    switch change {
    case .symbol(let old, let new): "\(old) becomes \(new)"
    case .number(let number): "\(number) is doubled"
    case .truth(let value): "\(value) becomes \(value == "true" ? "false" : "true")"
    case .condition: "the condition is reversed"
    }
  }
}

/// Finds what can be changed in a file, and writes the file so that the number of a mutant chooses.
struct Rewriting {
  private(set) var mutants: [Mutant] = []
  private var edits: [(range: Range<Int>, text: String)] = []

  private let source: [UInt8]
  private let file: String
  private let module: String
  private let first: Int
  private let digest: String
  private let tokens: [Token]

  /// - Parameters:
  ///   - first: The number of the first mutant.
  ///   - module: The module's name, by which the functions that choose are told apart.
  init(_ source: String, file: String, module: String, first: Int) {
    self.source = Array(source.utf8)
    self.file = file
    self.module = module
    self.first = first
    // FNV-1a.
    let hash = self.source.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    digest = String(hash, radix: 16)
    tokens = Tokeniser.tokens(of: self.source)
    find()
    for index in mutants.indices {
      let same = mutants[..<index].count {
        $0.text == mutants[index].text && $0.change == mutants[index].change
      }
      mutants[index].occurrence = same + 1
    }
  }

  /// The source with all mutants in it.
  var text: String {
    var text = source
    for edit in edits.sorted(by: {
      ($0.range.lowerBound, $0.range.upperBound) > ($1.range.lowerBound, $1.range.upperBound)
    }) {
      text.replaceSubrange(edit.range, with: Array(edit.text.utf8))
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// What each operator becomes: what is nearest to it, which is the hardest to notice.
  static let symbols = [
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
    "+": "-", "-": "+", "*": "+", "+=": "-=", "-=": "+=",
  ]

  /// An operator of its own for each mutant: only so does it take the operands that the original takes.
  static func symbol(_ old: String, _ number: Int) -> String {
    let digits = Array("═║╒╓╔╕╖╗╘╙")
    return old + String(String(number).map { digits[$0.wholeNumberValue ?? 0] })
  }

  private mutating func add(_ change: Mutant.Change, at offset: Int) -> Int {
    let number = first + mutants.count
    let start = source[..<offset].lastIndex(of: 10).map { $0 + 1 } ?? 0
    let end = source[offset...].firstIndex(of: 10) ?? source.count
    let line = source[..<offset].count { $0 == 10 } + 1
    let text = String(decoding: source[start..<end], as: UTF8.self)
    mutants.append(
      Mutant(
        number: number, file: file, line: line,
        text: String(text.drop { $0 == " " }), change: change,
        identity: "\(file) \(digest) \(mutants.count + 1)"))
    return number
  }

  // MARK: - What can be changed

  private mutating func find() {
    /// Until which token there is nothing but a pattern, an attribute or the head of a declaration.
    var (pattern, attribute, head) = (0, 0, 0)
    for index in tokens.indices {
      let token = tokens[index]
      switch token.text {
      case "case": pattern = end(from: index + 1) { $0 == ":" || $0 == "=" || $0 == "where" }
      case "@": attribute = endOfAttribute(index)
      case "func", "extension", "struct", "enum", "class", "protocol", "init", "subscript":
        if index == 0 || tokens[index - 1].text != "." {
          head = end(from: index + 1) { $0 == "{" }
        }
      case "if", "guard", "while", "where":
        if index >= head { findConditions(after: index) }
      default: break
      }
      guard index >= pattern, index >= attribute else { continue }
      if token.kind == .symbol, token.isApart, index >= head, let new = Self.symbols[token.text] {
        let number = add(.symbol(token.text, becomes: new), at: token.range.lowerBound)
        edits.append((token.range, Self.symbol(token.text, number)))
      } else if token.kind == .number, isValue(index) {
        let number = add(.number(token.text), at: token.range.lowerBound)
        edits.append((token.range, "changed\(module)(\(number), \(token.text))"))
      } else if token.kind == .name, token.text == "true" || token.text == "false" {
        let number = add(.truth(token.text), at: token.range.lowerBound)
        edits.append((token.range, "changed\(module)(\(number), \(token.text))"))
      }
    }
  }

  /// Whether a number is one that could as well be another: no index of a tuple, no argument of a type, and not how far bits
  /// are shifted.
  private func isValue(_ index: Int) -> Bool {
    guard index > 0, tokens[index - 1].text != "<" || tokens[index - 1].isApart else {
      return false
    }
    return ![".", "<<", ">>", "<<=", ">>=", "&<<", "&>>"].contains(tokens[index - 1].text)
  }

  /// The place of the first token outside of brackets that satisfies `predicate`.
  private func end(from start: Int, where predicate: (String) -> Bool) -> Int {
    var depth = 0
    for index in start..<max(start, tokens.count) {
      let text = tokens[index].text
      if depth == 0, predicate(text) { return index }
      if ["(", "[", "{"].contains(text) { depth += 1 }
      if [")", "]", "}"].contains(text) { depth -= 1 }
      if depth < 0 { return index }
    }
    return tokens.count
  }

  private func endOfAttribute(_ index: Int) -> Int {
    guard index + 2 < tokens.count, tokens[index + 2].text == "(",
      tokens[index + 2].range.lowerBound == tokens[index + 1].range.upperBound
    else { return index + 1 }
    return end(from: index + 3) { $0 == ")" }
  }

  /// Finds those conditions that are no comparison: a comparison's operator is changed.
  private mutating func findConditions(after keyword: Int) {
    let isGuard = tokens[keyword].text == "guard"
    let isOfCase = tokens[keyword].text == "where"
    var start = keyword + 1
    while start < tokens.count {
      let stop = end(from: start) {
        $0 == "," || (isGuard ? $0 == "else" : $0 == "{" || isOfCase && $0 == ":")
      }
      guard stop < tokens.count, stop > start else { return }
      let element = tokens[start..<stop]
      let isComparison = element.contains {
        Self.symbols[$0.text] != nil && $0.isApart || ["=", "~=", "??", "is"].contains($0.text)
      }
      let begin = tokens[start]
      if !["let", "var", "case", "#"].contains(begin.text), !isComparison {
        let number = add(.condition, at: begin.range.lowerBound)
        let last = tokens[stop - 1].range.upperBound
        edits.append(
          (begin.range.lowerBound..<begin.range.lowerBound, "changed\(module)(\(number), "))
        edits.append((last..<last, ")"))
      }
      guard tokens[stop].text == "," else { return }
      start = stop + 1
    }
  }
}
