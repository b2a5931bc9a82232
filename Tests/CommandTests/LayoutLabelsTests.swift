import Debounce
import Terminal
import Testing

@testable import keydebounce

/// The layouts are those of the system that tests: xkb-data's.
@Suite("The labels of layouts")
struct LayoutLabelsTests {
  private static let y: KeyCode = 21
  private static let z: KeyCode = 44

  @Test("are those of the keys: Y and Z change places in German")
  func german() {
    let labels = LayoutLabels.labels(of: SystemLayout("de"))
    #expect(labels[Self.y] == "Z" && labels[Self.z] == "Y")
    #expect(labels[12] == "ß" && labels[26] == "Ü" && labels[39] == "Ö" && labels[40] == "Ä")
    // Dead keys: acute and circumflex. The key beside the left Shift.
    #expect(labels[13] == "´" && labels[41] == "^" && labels[86] == "<")
    #expect(labels[16] == "Q")
    let first = LayoutLabels.labels(of: SystemLayout("de,us", variant: "nodeadkeys,"))
    #expect(first[Self.y] == "Z")
  }

  @Test("are those of the first row of letters in French")
  func french() {
    let labels = LayoutLabels.labels(of: SystemLayout("fr"))
    #expect((16...21).map { labels[$0] } == ["A", "Z", "E", "R", "T", "Y"])
    #expect(labels[30] == "Q" && labels[50] == "," && labels[2] == "&")
  }

  @Test("are letters of other scripts, too")
  func greek() {
    #expect(LayoutLabels.labels(of: SystemLayout("gr"))[30] == "Α")
  }

  @Test("are the kernel's in American")
  func american() {
    let labels = LayoutLabels.labels(of: SystemLayout("us"))
    #expect(labels[Self.y] == "Y" && labels[39] == ";" && labels[43] == "\\")
  }

  @Test(
    "do not exist for a layout that is unknown, and that is no error",
    arguments: ["nope", "../de"])
  func unknown(name: String) {
    #expect(LayoutLabels.labels(of: SystemLayout(name)).isEmpty)
  }

  @Test("are shown where they differ from the kernel's names, and where they can be")
  func unusual() {
    let german = LayoutLabels.labels(of: SystemLayout("de"))
    let shown = LayoutLabels.unusual(german, in: .unicode)
    #expect(shown[Self.y] == "Z" && shown[26] == "Ü" && shown[16] == nil && shown[86] == nil)
    let plain = LayoutLabels.unusual(german, in: .ascii)
    #expect(plain[Self.y] == "Z" && plain[26] == nil)
    let american = LayoutLabels.labels(of: SystemLayout("us"))
    #expect(LayoutLabels.unusual(american.filter { $0.key != 86 }, in: .unicode).isEmpty)
  }

  @Test("leave out what cannot be shown")
  func shown() {
    #expect(LayoutLabels.label(named: "space", typing: " ") == nil)
    #expect(LayoutLabels.label(named: "Return", typing: "\r") == nil)
    #expect(LayoutLabels.label(named: "ISO_Level3_Shift", typing: "") == nil)
    #expect(LayoutLabels.label(named: "i", typing: "i") == "I")
    #expect(LayoutLabels.label(named: "ssharp", typing: "ß") == "ß")
  }
}

@Suite("The system's layout")
struct SystemLayoutTests {
  @Test("is read from /etc/default/keyboard")
  func debian() {
    let text = """
      # KEYBOARD CONFIGURATION FILE
      XKBMODEL="pc105"
      XKBLAYOUT="de"
      XKBVARIANT='nodeadkeys'
      XKBOPTIONS=""
      BACKSPACE="guess"
      """
    #expect(
      SystemLayout(text: text)
        == SystemLayout("de", variant: "nodeadkeys", model: "pc105"))
    #expect(SystemLayout(text: "XKBLAYOUT=fr # as typed\n") == SystemLayout("fr"))
    #expect(SystemLayout(text: "#XKBLAYOUT=fr\nXKBLAYOUT=\n") == nil)
  }

  @Test("is read from /etc/vconsole.conf, where X11's names are given besides the console's")
  func systemd() {
    let text = "KEYMAP=de-nodeadkeys\nFONT=eurlatgr\nXKBLAYOUT=de\nXKBVARIANT=nodeadkeys\n"
    #expect(SystemLayout(text: text) == SystemLayout("de", variant: "nodeadkeys"))
    #expect(SystemLayout(text: "KEYMAP=de\n") == nil)
  }

  @Test("is read from X11's configuration")
  func xorg() {
    let text = """
      Section "InputClass"
              Identifier "system-keyboard"
              MatchIsKeyboard "on"
              Option "XkbLayout" "de,us"
              Option "XkbOptions" "grp:alt_shift_toggle"
      EndSection
      """
    #expect(
      SystemLayout(text: text)
        == SystemLayout("de,us", options: "grp:alt_shift_toggle"))
    #expect(SystemLayout(text: "# nothing") == nil)
  }
}
