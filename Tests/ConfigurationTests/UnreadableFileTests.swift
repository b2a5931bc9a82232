import Foundation
import Samples
import Testing

@testable import Configuration

@Suite("A file that cannot be read")
struct UnreadableFileTests {
  @Test("is missing where it was asked for")
  func missing() throws {
    let folder = try Folder(["keydebounce.toml": ""])
    #expect(
      folder.findings(in: "devices.toml") == [
        """
        devices.toml: is not there; expected a folder with keydebounce.toml and devices.d/*.toml in it, \
        or one such file
        """
      ])
  }

  @Test("is a folder where a file should be, or the other way round")
  func folders() throws {
    #expect(
      try Folder(["devices.d": "", "keydebounce.toml.d": "#"]).findings() == [
        "keydebounce.toml.d: is a file; expected a folder",
        "devices.d: is a file; expected a folder",
      ])
    #expect(
      try Folder(["keydebounce.toml/x": "", "devices.d/10.toml/x": ""]).findings() == [
        "keydebounce.toml: is a folder; expected a file",
        "10.toml: is a folder; expected a file",
      ])
  }

  @Test("is a link that leads nowhere, or a pipe, whose writer nobody waits for")
  func linksAndPipes() throws {
    let folder = try Folder(["devices.d/README": ""])
    for (link, target) in [
      ("keydebounce.toml", "/nowhere"), ("keydebounce.toml.d", "/nowhere"),
      ("devices.d/10.toml", "gone.toml"), ("devices.d/20.toml", "20.toml"),
    ] {
      #expect(symlink(target, "\(folder.path)/\(link)") == 0)
    }
    for name in ["devices.d/30.toml", "alone.toml"] {
      #expect(mkfifo("\(folder.path)/\(name)", 0o600) == 0)
    }
    #expect(
      folder.findings() == [
        "keydebounce.toml: is a link to something that is not there; expected a file",
        "keydebounce.toml.d: is a link to something that is not there; expected a folder",
        "10.toml: is a link to something that is not there; expected a file",
        "20.toml: is a link that leads back to itself; expected a file",
        "30.toml: is a pipe or a device; expected a file",
      ])
    #expect(
      folder.findings(in: "alone.toml") == [
        "alone.toml: is a pipe or a device; expected a file"
      ])
  }

  @Test("is no folder, where several were asked for")
  func places() throws {
    let folder = try Folder(["file": ""])
    #expect(mkfifo("\(folder.path)/pipe", 0o600) == 0)
    #expect(symlink("/nowhere", "\(folder.path)/link") == 0)
    let places = ConfigurationPlaces([
      folder.path + "/file", folder.path + "/pipe", folder.path + "/link",
    ])
    let loaded = try LoadedSettings(readingFrom: places, toleratesBrokenDevices: true)
    #expect(
      loaded.errors.map(\.message) == [
        "is a file; expected a folder", "is a pipe or a device; expected a folder",
        "is a link to something that is not there; expected a folder",
      ])
  }

  @Test("is too long to be a configuration")
  func long() throws {
    let folder = try Folder([
      "keydebounce.toml": String(repeating: "#\n", count: 1 << 19),
      "devices.d/10.toml": String(repeating: "#\n", count: 1 << 20),
    ])
    #expect(
      folder.findings()
        == ["10.toml: has more than 1024 KiB; expected a configuration, which is short"])
  }

  @Test(
    "is no text",
    arguments: [([0x61, 0x20, 0xff, 0x0a], 3), ([0xe9], 1), ([0x61, 0x00], 2), ([0xc3], 1)])
  func noText(bytes: [UInt8], column: Int) throws {
    let folder = try Folder(["devices.d/README": ""])
    try Data([0x23, 0x0a] + bytes).write(to: URL(filePath: folder.path + "/devices.d/10.toml"))
    let problem = try #require(folder.problems().first)
    #expect(problem.message == "found bytes that are not text; expected TOML in UTF-8")
    #expect(problem.place?.line == 2 && problem.place?.column == column)
  }

  @Test("is one that others may read: who, and what helps, is said")
  func permission() throws {
    let folder = try Folder(["keydebounce.toml": ""])
    let path = folder.path + "/keydebounce.toml"
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let owner = try #require(
      try FileManager.default.attributesOfItem(atPath: path)[.ownerAccountName] as? String)
    // Root may read everything: what is said is all that can be tested everywhere.
    #expect(
      UnreadableFile(path, reason: EACCES).description == """
        the user “\(NSUserName())” may not read it; only \(owner) may: let everybody with “chmod a+r \(path)”
        """)
    #expect(
      UnreadableFile(path + "/below", reason: EACCES).description
        == "the user “\(NSUserName())” may not read it; expected permission to enter the folders above it"
    )
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    #expect(
      UnreadableFile(path, reason: EACCES).description == """
        the user “\(NSUserName())” may not read it; its mode lets everybody; expected no access list and no \
        security module that forbids it
        """)
    #expect(
      UnreadableFile(path, reason: EIO).description == "cannot be read: Input/output error")
  }

  @Test("may have been meant to be read: one is warned")
  func strays() throws {
    let folder = try Folder([
      "keydebounce.toml": "", "10-desk.toml": "", "keydebounce.conf": "", "README": "",
      "keydebounce.toml.bak": "", "devices.d/10.TOML": "", "devices.d/20.conf": "",
      "devices.d/30.toml~": "", "devices.d/40": "", "devices.d/README": "", "device.d/10.toml": "",
      "calibrated.d/10.toml.bak": "",
    ])
    #expect(
      folder.findings() == [
        """
        warning: 10-desk.toml: is not read; expected “keydebounce.toml” here, and device files in devices.d
        """,
        "warning: device.d: is not read; expected a folder devices.d, calibrated.d or keydebounce.toml.d",
        """
        warning: keydebounce.conf: is not read; expected “keydebounce.toml” here, and device files in \
        devices.d
        """,
        "warning: 10.TOML: is not read; expected a name that ends in “.toml”",
        "warning: 20.conf: is not read; expected a name that ends in “.toml”",
        "warning: 40: is not read; expected a name that ends in “.toml”",
      ])
  }
}
