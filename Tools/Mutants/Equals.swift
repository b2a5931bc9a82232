import Foundation

/// The mutants that nothing can notice, each with the reason: `Tools/Mutants/equal`.
///
/// An entry is four lines and an empty one: the file, the line of source, the change, and why it changes nothing.
struct Equals {
  struct Entry: Equatable {
    var file: String
    var text: String
    /// As ``Mutant/summary``, with the number of the occurrence in its line after a `#` if it is not the first.
    var change: String
    var reason: String
  }

  let entries: [Entry]

  init(_ text: String) {
    let blocks = text.split(separator: "\n", omittingEmptySubsequences: false).split(separator: "")
    entries = blocks.map { $0.filter { !$0.hasPrefix("#") } }.filter { $0.count >= 4 }.map {
      let lines = $0.map { $0.trimmingCharacters(in: .whitespaces) }
      return Entry(
        file: lines[0], text: lines[1], change: lines[2],
        reason: lines[3...].joined(separator: " "))
    }
  }

  /// Why nothing can notice the mutant; `nil` if nothing is known of it.
  func reason(for mutant: Mutant) -> String? {
    entries.first { $0.matches(mutant) }?.reason
  }

  /// The entries that fit no mutant any more.
  func stale(among mutants: [Mutant]) -> [Entry] {
    entries.filter { entry in !mutants.contains { entry.matches($0) } }
  }
}

extension Equals.Entry {
  fileprivate func matches(_ mutant: Mutant) -> Bool {
    file == mutant.file && text == mutant.text && change == mutant.key
  }
}

extension Mutant {
  /// The change, so that it can be told from others of its line.
  var key: String { occurrence == 1 ? summary : "\(summary) #\(occurrence)" }
}
