import Foundation
import FuzzSubjects
import Samples
import Testing

@Suite("What fuzzing kept")
struct CorpusTests {
  @Test("does no harm", arguments: FuzzSubject.allCases)
  func corpus(subject: FuzzSubject) throws {
    let folder = try Folder(["\(subject.rawValue)/empty": ""])
    let archive = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Tools/Fuzz/corpora.tar.xz").standardizedFileURL
    let tar = try Process.run(
      URL(filePath: "/usr/bin/env"),
      arguments: ["tar", "-xJf", archive.path, "-C", folder.path, "./\(subject.rawValue)"])
    tar.waitUntilExit()
    try #require(tar.terminationStatus == 0)
    let files = try FileManager.default.contentsOfDirectory(
      at: URL(filePath: folder.path).appending(path: subject.rawValue),
      includingPropertiesForKeys: nil)
    try #require(files.count > 1)
    for file in files {
      let bytes = try Array(Data(contentsOf: file))
      #expect(subject.violation(in: bytes) == nil, "\(file.lastPathComponent)")
    }
  }
}
