import Foundation

/// The sleep of the whole machine.
enum MachineSleep {
  /// Has the kernel go all the way to sleep but for the last step, from which this virtual machine would not wake, and
  /// come back two seconds later. Programs, devices and clocks see no difference.
  static func sleepAndWake() throws {
    for (file, text) in [
      ("/sys/module/suspend/parameters/pm_test_delay", "2"), ("/sys/power/pm_test", "core"),
      ("/sys/power/state", "mem"), ("/sys/power/pm_test", "none"),
    ] { try text.write(toFile: file, atomically: false, encoding: .utf8) }
  }
}
