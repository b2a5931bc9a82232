import Configuration
import Debounce
@testable import EventDevices
import Foundation
import Samples
import Status
import Terminal
import Testing

@testable import keydebounce

@Suite("keydebounce list")
struct ListCommandTests {
  private func listed(
    _ node: DeviceNode, by settings: Settings = .packaged, isDebounced: Bool = false
  ) -> ListedDevice {
    ListedDevice(node, by: settings, isDebounced: isDebounced)
  }

  private func text(
    _ devices: [ListedDevice], columns: Int = 80, showsAll: Bool = false,
    characters: Characters = .unicode
  ) -> String {
    ListTable(sheet: Sheet(columns: columns, characters: characters), showsAll: showsAll)
      .text(of: devices)
  }

  private var keyboard: DeviceNode {
    node(
      3, "Keychron K2", links: ["/dev/input/by-id/usb-Keychron-event-kbd", "/dev/input/by-path/x"])
  }

  @Test("says of each device what is done, and why, in lines of a terminal's width")
  func table() {
    let mouse = node(12, "A mouse with a name that is longer than most", kinds: [.mouse])
    #expect(
      text([listed(keyboard, isDebounced: true), listed(mouse)]) == """
        DEVICE              IDS        KIND      NAME
        /dev/input/event3   3434:0012  keyboard  Keychron K2
          take: adaptive, by the defaults; now debounced
          at usb-1/input0
          /dev/input/by-id/usb-Keychron-event-kbd
        /dev/input/event12  3434:0012  mouse     A mouse with a name that is longer than most
          leave: no keyboard, and no device file is about it

        """)
  }

  @Test("says to which seat a device belongs, if that is not the first")
  func seat() {
    for (seat, isShown) in [("seat0", false), ("seat1", true)] {
      let lines = text([listed(node(3, "K2", ["ID_SEAT": seat]))], showsAll: true)
      #expect(lines.contains("\n  seat \(seat)\n") == isShown, "\(lines)")
    }
  }

  @Test("leaves columns out where there is no room, and wraps no row")
  func narrowTable() {
    func table(_ columns: Int) -> [Substring] {
      Array(text([listed(keyboard)], columns: columns).split(separator: "\n").prefix(2))
    }
    #expect(
      table(40) == [
        "DEVICE             KIND      NAME", "/dev/input/event3  keyboard  Keychron K2",
      ])
    #expect(table(39) == ["DEVICE             NAME", "/dev/input/event3  Keychron K2"])
  }

  @Test("puts what is done beside the name where there is room")
  func wideTable() {
    let lines = text([listed(keyboard)], columns: 160).split(separator: "\n")
    #expect(
      lines[0].hasPrefix(
        "DEVICE             IDS        KIND      NAME         WHAT KEYDEBOUNCE DOES"))
    #expect(lines[1].hasSuffix("Keychron K2  take: adaptive, by the defaults"))
    #expect(lines.last == "no device is debounced now: this is what the daemon would do")
  }

  @Test("hides what cannot chatter and what is its own, unless it is to show all")
  func hidden() {
    let devices = [
      listed(keyboard), listed(node(4, "Lid Switch", kinds: [.switch], keys: KeySet())),
      listed(node(5, "Keychron K2", phys: "keydebounce/usb-1/input0")),
    ]
    let some = text(devices)
    #expect(!some.contains("event4") && !some.contains("event5"))
    #expect(some.contains("2 more without keys"))
    let all = text(devices, showsAll: true)
    #expect(all.contains("leave: has switches"))
    #expect(all.contains("leave: made by keydebounce"))
    #expect(all.contains("by-path/x"))
  }

  @Test("names the file that holds for a device, and its exceptions")
  func file() throws {
    let folder = try Folder([
      "devices.d/desk.toml": """
      device.vendor = 0x3434
      debounce.strategy = "none"
      keys.KEY_E = "adaptive"
      """
    ])
    let settings = try LoadedSettings(readingFrom: folder.path).settings
    let words = "take: none, 1 key in another way, by \(folder.path)/devices.d/desk.toml"
    #expect(text([listed(keyboard, by: settings)], columns: 200).contains(words))
  }

  @Test("lets no name tell the terminal anything, and breaks no line of it", arguments: [80, 160])
  func controlCharacters(_ columns: Int) {
    let evil = node(7, "\u{1b}]0;evil\u{7}\nK\u{9b}2J\u{202e}2", phys: "usb\u{1b}[2J")
    let shown = text([listed(evil)], columns: columns, showsAll: true)
    #expect(
      shown.unicodeScalars.allSatisfy {
        $0 == "\n" || ![.control, .format].contains($0.properties.generalCategory)
      })
    let ascii = text([listed(evil)], columns: columns, showsAll: true, characters: .ascii)
    #expect(ascii.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test("is JSON with the same fields for every device")
  func json() throws {
    let devices = [
      listed(keyboard, isDebounced: true), listed(node(5, "K", phys: "keydebounce/usb")),
    ]
    let json = try Data(StatusJSON.encode(devices))
    let list = try #require(JSONSerialization.jsonObject(with: json) as? [[String: Any]])
    #expect(list.count == 2)
    #expect(Set(list[0].keys) == Set(list[1].keys))
    #expect(list[0]["node"] as? String == "/dev/input/event3")
    #expect(list[0]["action"] as? String == "take")
    #expect(list[0]["strategy"] as? String == "adaptive")
    #expect(list[0]["is_debounced"] as? Bool == true)
    #expect(list[1]["is_debounced"] as? Bool == false)
    #expect(list[0]["reason"] is NSNull)
    #expect(list[1]["is_clone"] as? Bool == true)
    #expect(list[1]["action"] as? String == "leave")
    #expect(list[1]["reason"] as? String == "made by keydebounce")
  }

  @Test("needs no daemon, no privilege and no device")
  func bare() throws {
    #expect(try Command("list").status == 0)
    #expect(try Command("list", "--json").status == 0)
    let folder = try Folder()
    let empty = try Command("list", "--config", folder.path)
    #expect(empty.errors.hasPrefix("keydebounce: \(folder.path): no settings are read there; "))
  }
}
