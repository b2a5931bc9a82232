import Foundation
import FuzzSubjects
import Testing

@Suite("What fuzzing kept")
struct CorpusTests {
  @Test("does no harm", arguments: FuzzSubject.allCases)
  func corpus(subject: FuzzSubject) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "../Tools/Fuzz/Corpora/\(subject.rawValue)")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    try #require(!files.isEmpty)
    for file in files {
      let bytes = try Array(Data(contentsOf: file))
      #expect(subject.violation(in: bytes) == nil, "\(file.lastPathComponent)")
    }
  }
}
