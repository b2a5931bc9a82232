import Foundation
import Glibc

/// A pin of the kernel's simulated GPIO chip, `gpio-sim`, from the side of the wire: what is connected to it pulls it.
public final class Pin {
  private let descriptor: CInt

  /// - Parameter number: Which of the chip's pins it is.
  public init(_ number: Int) throws {
    let chips = "/sys/bus/gpio/devices"
    let paths = try FileManager.default.contentsOfDirectory(atPath: chips)
      .map { "\(chips)/\($0)/sim_gpio\(number)/pull" }
    descriptor = paths.lazy.map { open($0, O_WRONLY | O_CLOEXEC) }.first { $0 >= 0 } ?? -1
    guard descriptor >= 0 else {
      throw WaitedInVain(description: "no chip has a pin \(number) that can be pulled: \(paths)")
    }
  }

  deinit {
    close(descriptor)
  }

  /// Connects the pin with ground, as a button does that is pressed, or leaves it to be pulled up.
  public func connect(_ isConnected: Bool) throws {
    let order = isConnected ? "pull-down" : "pull-up"
    guard pwrite(descriptor, order, order.utf8.count, 0) == order.utf8.count else {
      throw WaitedInVain(description: "the pin cannot be pulled: \(errno)")
    }
  }
}
