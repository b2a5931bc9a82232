import Foundation

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
    for top in [
      "Sources", "Tests", "Tools", "Package.swift", "Package.resolved", "packaging", "docs",
    ] {
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
