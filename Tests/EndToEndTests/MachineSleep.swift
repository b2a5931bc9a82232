import Foundation

/// The sleep of the whole machine.
enum MachineSleep {
  /// Whether the kernel can be brought that far: what only idles does not go to sleep step by step.
  static var isPossible: Bool {
    (try? String(contentsOfFile: "/sys/power/mem_sleep", encoding: .utf8))?.contains("deep") == true
  }

  /// Has the kernel go all the way to sleep but for the last step, from which this virtual machine would not wake, and
  /// come back two seconds later. Programs, devices and clocks see no difference.
  static func sleepAndWake() throws {
    for (file, text) in [
      ("/sys/module/suspend/parameters/pm_test_delay", "2"), ("/sys/power/pm_test", "core"),
      ("/sys/power/state", "mem"), ("/sys/power/pm_test", "none"),
    ] { try text.write(toFile: file, atomically: false, encoding: .utf8) }
  }
}
