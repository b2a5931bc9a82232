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
