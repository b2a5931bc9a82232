import Debounce
import Terminal
import Testing

@testable import keydebounce

/// The layouts are those of the system that tests: xkb-data's.
@Suite("The labels of layouts")
struct LayoutLabelsTests {
  @Test(
    "are those of the keys, of dead keys and of other scripts, too",
    arguments: [
      // Y and Z change places; acute and circumflex are dead keys; 86 is beside the left Shift.
      (
        SystemLayout(layout: "de"),
        [
          21: "Z", 44: "Y", 12: "ß", 26: "Ü", 39: "Ö", 40: "Ä", 13: "´", 41: "^", 86: "<", 16: "Q",
        ]
      ),
      (SystemLayout(layout: "de,us", variant: "nodeadkeys,"), [21: "Z"]),
      // The first row of letters.
      (
        SystemLayout(layout: "fr"),
        [16: "A", 17: "Z", 18: "E", 19: "R", 20: "T", 21: "Y", 30: "Q", 50: ",", 2: "&"]
      ),
      (SystemLayout(layout: "gr"), [30: "Α"]),
      // The kernel's own.
      (SystemLayout(layout: "us"), [21: "Y", 39: ";", 43: "\\"]),
    ] as [(SystemLayout, [KeyCode: String])])
  func labels(layout: SystemLayout, expected: [KeyCode: String]) {
    let labels = LayoutLabels.labels(of: layout)
    for (key, label) in expected { #expect(labels[key] == label, "\(key)") }
  }

  @Test(
    "do not exist for a layout that is unknown, and that is no error",
    arguments: ["nope", "../de"])
  func unknown(name: String) {
    #expect(LayoutLabels.labels(of: SystemLayout(layout: name)).isEmpty)
  }

  @Test("are shown where they differ from the kernel's names, and where they can be")
  func unusual() {
    let german = LayoutLabels.labels(of: SystemLayout(layout: "de"))
    let shown = LayoutLabels.unusual(german, in: .unicode)
    #expect(shown[21] == "Z" && shown[26] == "Ü" && shown[16] == nil && shown[86] == nil)
    let plain = LayoutLabels.unusual(german, in: .ascii)
    #expect(plain[21] == "Z" && plain[26] == nil)
    let american = LayoutLabels.labels(of: SystemLayout(layout: "us"))
    #expect(LayoutLabels.unusual(american.filter { $0.key != 86 }, in: .unicode).isEmpty)
  }

  @Test("leave out what cannot be shown")
  func shown() {
    // Space, Return and ISO_Level3_Shift.
    #expect(LayoutLabels.label(of: 0x20, typing: " ") == nil)
    #expect(LayoutLabels.label(of: 0xff0d, typing: "\r") == nil)
    #expect(LayoutLabels.label(of: 0xfe03, typing: "") == nil)
    #expect(LayoutLabels.label(of: 0x69, typing: "i") == "I")
    #expect(LayoutLabels.label(of: 0xdf, typing: "ß") == "ß")
  }

  @Test("are accents on dead keys, by the numbers of keysymdef.h")
  func accents() {
    let accents = (UInt32(0xfe4f)...0xfe5d).map { LayoutLabels.label(of: $0, typing: "") }
    #expect(
      accents == [
        nil, "`", "´", "^", "~", "¯", "˘", "˙", "¨", "°", "˝", "ˇ", "¸", "˛", nil,
      ])
  }
}

@Suite("The system's layout")
struct SystemLayoutTests {
  @Test(
    "is read from each of the files that say it",
    arguments: [
      // /etc/default/keyboard
      (
        """
        # KEYBOARD CONFIGURATION FILE
        XKBMODEL="pc105"
        XKBLAYOUT="de"
        XKBVARIANT='nodeadkeys'
        XKBOPTIONS=""
        BACKSPACE="guess"
        """, SystemLayout(layout: "de", variant: "nodeadkeys", model: "pc105")
      ),
      ("XKBLAYOUT=fr # as typed\n", SystemLayout(layout: "fr")),
      ("#XKBLAYOUT=fr\nXKBLAYOUT=\n", nil),
      // /etc/vconsole.conf, where X11's names are given besides the console's
      (
        "KEYMAP=de-nodeadkeys\nFONT=eurlatgr\nXKBLAYOUT=de\nXKBVARIANT=nodeadkeys\n",
        SystemLayout(layout: "de", variant: "nodeadkeys")
      ),
      ("KEYMAP=de\n", nil),
      // X11's configuration
      (
        """
        Section "InputClass"
                Identifier "system-keyboard"
                MatchIsKeyboard "on"
                Option "XkbLayout" "de,us"
                Option "XkbOptions" "grp:alt_shift_toggle"
        EndSection
        """, SystemLayout(layout: "de,us", options: "grp:alt_shift_toggle")
      ),
      ("# nothing", nil),
    ] as [(String, SystemLayout?)])
  func files(text: String, layout: SystemLayout?) {
    #expect(SystemLayout(text: text) == layout)
  }
}
