import Foundation

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

/// A token of Swift source: so much of the language as it takes to find operators, constants and conditions.
struct Token: Equatable {
  enum Kind: Equatable { case name, number, symbol, string, punctuation }

  let kind: Kind
  /// Where it stands in the source, in bytes.
  let range: Range<Int>
  let text: String
  /// Whether there is white space on both sides, as there is around each binary operator.
  let isApart: Bool
}

/// Splits Swift source into tokens. Comments are left out, and strings are whole, with all that is interpolated in them.
struct Tokeniser {
  private let source: [UInt8]
  private var position = 0
  private var tokens: [Token] = []

  static func tokens(of source: [UInt8]) -> [Token] {
    var tokeniser = Tokeniser(source: source)
    while tokeniser.position < source.count { tokeniser.step() }
    return tokeniser.tokens
  }

  private init(source: [UInt8]) { self.source = source }

  private static let symbols = Set("/=-+!*%<>&|^~?".utf8)
  private static let spaces = Set(" \n\t".utf8)

  private func byte(_ offset: Int = 0) -> UInt8 {
    position + offset < source.count ? source[position + offset] : 10
  }

  private func isAt(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { text in text.indices.allSatisfy { byte($0) == text[$0] } }
  }

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"),
      UInt8(ascii: "`"), 0x80...:
      true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }

  private mutating func step() {
    let start = position
    if Self.spaces.contains(byte()) {
      position += 1
    } else if isAt("//") {
      while position < source.count, byte() != 10 { position += 1 }
    } else if isAt("/*") {
      skipComment()
    } else if byte() == UInt8(ascii: "\"") || isAt("#\"") {
      skipString()
      add(.string, from: start)
    } else if Self.isDigit(byte()) {
      skipNumber()
      add(.number, from: start)
    } else if Self.isName(byte()) {
      while Self.isName(byte()), position < source.count { position += 1 }
      add(.name, from: start)
    } else if Self.symbols.contains(byte()) || isAt("..") {
      while Self.symbols.contains(byte()) || byte() == UInt8(ascii: ".") { position += 1 }
      add(.symbol, from: start)
    } else {
      position += 1
      add(.punctuation, from: start)
    }
  }

  private mutating func add(_ kind: Token.Kind, from start: Int) {
    let before = start > 0 ? source[start - 1] : 10
    tokens.append(
      Token(
        kind: kind, range: start..<position,
        text: String(decoding: source[start..<position], as: UTF8.self),
        isApart: Self.spaces.contains(before) && Self.spaces.contains(byte())))
  }

  private mutating func skipComment() {
    var depth = 0
    repeat {
      if isAt("/*") {
        depth += 1
        position += 2
      } else if isAt("*/") {
        depth -= 1
        position += 2
      } else {
        position += 1
      }
    } while depth > 0 && position < source.count
  }

  private mutating func skipNumber() {
    while Self.isName(byte()) || byte() == UInt8(ascii: ".") && Self.isDigit(byte(1)) {
      // The index in a tuple of a tuple.
      if byte() == UInt8(ascii: "."), tokens.last?.text == "." { return }
      position += 1
    }
  }

  private mutating func skipString() {
    let isRaw = byte() == UInt8(ascii: "#")
    if isRaw { position += 1 }
    let quotes = isAt("\"\"\"") ? 3 : 1
    position += quotes
    while position < source.count {
      if byte() == UInt8(ascii: "\\"), !isRaw || byte(1) == UInt8(ascii: "#") {
        position += isRaw ? 2 : 1
        if byte() == UInt8(ascii: "(") { skipInterpolation() } else { position += 1 }
      } else if quotes == 3 ? isAt("\"\"\"") : byte() == UInt8(ascii: "\"") {
        position += quotes + (isRaw ? 1 : 0)
        return
      } else {
        position += 1
      }
    }
  }

  private mutating func skipInterpolation() {
    var depth = 0
    repeat {
      switch byte() {
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"): depth -= 1
      case UInt8(ascii: "\""):
        skipString()
        continue
      default: break
      }
      position += 1
    } while depth > 0 && position < source.count
  }
}

/// What is added to a module so that the number of a mutant chooses: functions for constants and conditions, and an operator
/// for each one that is changed.
enum Chooser {
  static func text(module: String, mutants: [Mutant]) -> String {
    let operators = mutants.compactMap { mutant -> String? in
      guard case .symbol(let old, let new) = mutant.change else { return nil }
      return declaration(
        Rewriting.symbol(old, mutant.number), old, new,
        chosen: "isChosen\(module)(\(mutant.number))", module: module)
    }
    return """
      import Glibc

      private let chosen = getenv("KEYDEBOUNCE_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0

      /// A byte for each mutant, in which those are marked that are reached.
      private nonisolated(unsafe) let reached: UnsafeMutablePointer<UInt8>? = {
        guard let path = getenv("KEYDEBOUNCE_REACHED") else { return nil }
        let file = open(path, O_RDWR)
        var status = stat()
        guard file >= 0, fstat(file, &status) == 0 else { fatalError("no file for what is reached") }
        let bytes = mmap(nil, Int(status.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        return bytes?.bindMemory(to: UInt8.self, capacity: Int(status.st_size))
      }()

      @usableFromInline func isChosen\(module)(_ number: Int) -> Bool {
        if let reached { reached[number] = 1 }
        return chosen == number
      }

      @usableFromInline func changed\(module)<Value: Numeric>(_ number: Int, _ value: Value) -> Value {
        isChosen\(module)(number) ? (value == 0 ? 1 : value + value) : value
      }
      @usableFromInline func changed\(module)(_ number: Int, _ value: Bool) -> Bool {
        isChosen\(module)(number) ? !value : value
      }

      \(operators.joined(separator: "\n"))

      """
  }

  private static func declaration(
    _ name: String, _ old: String, _ new: String, chosen: String, module: String
  ) -> String {
    switch old {
    case "&&", "||":
      let precedence = old == "&&" ? "LogicalConjunctionPrecedence" : "LogicalDisjunctionPrecedence"
      return """
        infix operator \(name): \(precedence)
        func \(name) (a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool {
          try \(chosen) ? a \(new) b() : a \(old) b()
        }
        """
    case "==", "!=":
      return """
        infix operator \(name): ComparisonPrecedence
        func \(name) <A: Equatable>(a: A, b: A) -> Bool { \(chosen) ? a \(new) b : a \(old) b }
        func \(name) <A>(a: A?, b: _OptionalNilComparisonType) -> Bool { \(chosen) ? a \(new) b : a \(old) b }
        func \(name) (a: Any.Type?, b: Any.Type?) -> Bool { \(chosen) ? a \(new) b : a \(old) b }
        @_disfavoredOverload
        func \(name) <A: BinaryInteger, B: BinaryInteger>(a: A, b: B) -> Bool { \(chosen) ? a \(new) b : a \(old) b }
        """
    case "<", "<=", ">", ">=":
      return """
        infix operator \(name): ComparisonPrecedence
        func \(name) <A: Comparable>(a: A, b: A) -> Bool { \(chosen) ? a \(new) b : a \(old) b }
        func \(name) <A: Comparable, B: Comparable>(a: (A, B), b: (A, B)) -> Bool { \(chosen) ? a \(new) b : a \(old) b }
        @_disfavoredOverload
        func \(name) <A: BinaryInteger, B: BinaryInteger>(a: A, b: B) -> Bool { \(chosen) ? a \(new) b : a \(old) b }
        """
    case "+=", "-=":
      return """
        infix operator \(name): AssignmentPrecedence
        func \(name) <A: AdditiveArithmetic>(a: inout A, b: A) { if \(chosen) { a \(new) b } else { a \(old) b } }
        """
          + (old == "+="
            ? """

            func \(name) <A: RangeReplaceableCollection>(a: inout A, b: some Sequence<A.Element>) { if !(\(chosen)) { a += b } }
            """ : "")
    case "*":
      return """
        infix operator \(name): MultiplicationPrecedence
        func \(name) <A: Numeric>(a: A, b: A) -> A { \(chosen) ? a \(new) b : a \(old) b }
        """
    default:
      // What is added to a moment or to an array, or taken from a moment, is left out; what is between two moments is the other
      // way round.
      let moments =
        module == "Service"
        ? "func \(name) (a: Instant, b: Int64) -> Instant { \(chosen) ? a : a \(old) b }" : ""
      let spans =
        module == "Service" && old == "-"
        ? "func \(name) (a: Instant, b: Instant) -> Int64 { \(chosen) ? b - a : a - b }" : ""
      let rows =
        old == "+"
        ? "func \(name) <A: RangeReplaceableCollection>(a: A, b: some Sequence<A.Element>) -> A { \(chosen) ? a : a + b }"
        : ""
      return """
        infix operator \(name): AdditionPrecedence
        func \(name) <A: AdditiveArithmetic>(a: A, b: A) -> A { \(chosen) ? a \(new) b : a \(old) b }
        \(moments)
        \(spans)
        \(rows)
        """
    }
  }
}

/// The package with all mutants in it.
struct Copy {
  let mutants: [(scope: Scope, mutants: [Mutant])]
  private let texts: [String: String]

  /// - Parameter package: The folder of the package.
  init(of package: URL, _ scopes: [Scope]) throws {
    var mutants: [(Scope, [Mutant])] = []
    var texts: [String: String] = [:]
    var first = 1
    for scope in scopes {
      var found: [Mutant] = []
      for path in try scope.paths(in: package) {
        let source = try String(contentsOf: package.appending(path: path), encoding: .utf8)
        let rewriting = Rewriting(source, file: path, module: scope.module, first: first)
        texts[path] = rewriting.text
        found += rewriting.mutants
        first += rewriting.mutants.count
      }
      texts["Sources/\(scope.module)/Chooser.swift"] = Chooser.text(
        module: scope.module, mutants: found)
      mutants.append((scope, found))
    }
    self.mutants = mutants
    self.texts = texts
  }

  /// Writes the copy. Files that have not changed since the last time are left alone, so that they are not built again.
  func write(from package: URL, to folder: URL) throws {
    var written = Set(texts.keys)
    // All that there is: tests read documents, too.
    for top in try FileManager.default.contentsOfDirectory(atPath: package.path)
    where !top.hasPrefix(".") {
      let source = package.appending(path: top)
      guard let paths = FileManager.default.subpaths(atPath: source.path) else { continue }
      for path in paths.isEmpty ? [top] : paths.map({ "\(top)/\($0)" }) where texts[path] == nil {
        var isFolder: ObjCBool = false
        let file = package.appending(path: path)
        guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder),
          !isFolder.boolValue
        else { continue }
        var data = try Data(contentsOf: file)
        if path == "Package.swift" { data += Data(manifest.utf8) }
        try put(data, at: folder.appending(path: path))
        written.insert(path)
      }
    }
    for (path, text) in texts { try put(Data(text.utf8), at: folder.appending(path: path)) }
    try removeAll(but: written, below: ["Sources", "Tests", "Tools"], of: folder)
  }

  /// Removes what was there the last time and is no more: a test that was deleted must not find anything.
  private func removeAll(but written: Set<String>, below tops: [String], of folder: URL) throws {
    for top in tops {
      for path in FileManager.default.subpaths(atPath: folder.appending(path: top).path) ?? [] {
        let (name, file) = ("\(top)/\(path)", folder.appending(path: "\(top)/\(path)"))
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder)
        if !isFolder.boolValue, !written.contains(name) {
          try FileManager.default.removeItem(at: file)
        }
      }
    }
  }

  private func put(_ data: Data, at file: URL) throws {
    if let old = try? Data(contentsOf: file), old == data { return }
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
  }

  /// Leaves out of the copy all targets that no test needs.
  private var manifest: String {
    let targets = Scope.tests.map { "\"\($0)\"" }.joined(separator: ", ")
    return """

      package.targets = {
        var needed: Set<String> = [\(targets)]
        var open = Array(needed)
        while let name = open.popLast() {
          for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _):
              if needed.insert(name).inserted { open.append(name) }
            default: break
            }
          }
        }
        return package.targets.filter { needed.contains($0.name) }
      }()
      package.products = []

      """
  }
}
