import Configuration
import Samples
import Testing

@testable import Service

@Suite("The settings that hold")
struct LiveConfigurationTests {
  @Test("log errors once, however often broken files are read, and again when others come")
  func floodOfReloads() throws {
    let folder = try Folder()
    let notebook = Notebook()
    let places = ConfigurationPlaces(folder.path)
    var configuration = try LiveConfiguration(readingFrom: places, log: notebook.logger)
    func reload(_ name: String) throws {
      try folder.write("[defaults]\n\(name) = 1\nthresold = 2\n", to: "keydebounce.toml")
      let new = LiveConfiguration.NewSettings { () throws(ConfigurationErrors) in
        try LoadedSettings(readingFrom: places)
      }
      let holds = configuration.adopt(new)
      #expect(!holds)
    }
    for _ in 0..<10 { try reload("stratgy") }
    #expect(notebook.lines.count == 2 + 10)
    #expect(configuration.problems.count == 2)
    try reload("[")
    #expect(notebook.lines.count == 2 + 10 + 2)
  }
}
