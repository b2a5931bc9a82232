import Configuration
import Debounce
import EventDevices
import Terminal

/// The text of a device file for `devices.d` that has a device taken, or left alone.
struct WrittenDeviceText {
  /// The whole file.
  let text: String
  /// Its lines after those that say which device it is about.
  let settings: String

  /// The file that has a device taken, with each of its buttons named.
  ///
  /// - Parameter others: The devices that are plugged in, from which the file is to tell it.
  init(
    taking device: DeviceDescription, _ buttons: DeviceButtons, beside others: [DeviceDescription]
  ) {
    settings = Self.settings(of: buttons)
    let lines = Self.interface(of: device, beside: others)
    text = Self.marked(
      .take,
      Self.header(
        "keydebounce takes this device because of this file.", opposite: .leave)
        + DeviceFileText.device(device, more: lines) + "\n" + settings)
  }

  /// The file that has a device left alone.
  init(leaving device: DeviceDescription, beside others: [DeviceDescription]) {
    settings = ""
    let lines = Self.interface(of: device, beside: others) + ["ignore  = true"]
    text = Self.marked(
      .leave,
      Self.header(
        "keydebounce leaves this device alone because of this file.", opposite: .take)
        + DeviceFileText.device(device, more: lines))
  }

  private static func marked(_ purpose: DeviceFilePurpose, _ body: String) -> String {
    purpose.mark + "\n" + body
  }

  private static func header(_ what: String, opposite: DeviceFilePurpose) -> String {
    DeviceFileText.commented(
      """
      \(what) “keydebounce forget” deletes the file, “keydebounce \(opposite.rawValue)” replaces it, whatever you have \
      changed in it. Delete the first line, and it is a file of your own, which they never touch.
      """) + "\n"
  }

  private static func settings(of buttons: DeviceButtons) -> String {
    switch buttons.kind {
    case .mouse:
      """
      # Movements, the wheel and all that is not named below pass as they are.
      [debounce]
      strategy = "none"

      # A click within 80 ms of the one before counts if it is held for 25 ms, and comes so late; every other press is passed on
      # at once. A release waits 20 ms, 30 after a quick click: if the button is pressed again meanwhile, it was never let go.
      # So clicks are not doubled, what is dragged is not dropped, and a finger may click 12 times a second.
      [keys]
      \(lines(buttons.keys, "{ strategy = \"adaptive\", threshold = 20, suspect = 80 }"))

      # A wheel that runs backwards now and then needs the first two of these lines, too, and one that scrolls twice at each
      # notch the first and the last:
      # [wheel]
      # reversal = 80
      # double = 8

      """
    case .pad:
      """
      # Sticks, and all that is not named below, pass as they are.
      [debounce]
      strategy = "none"

      # Every press is passed on at once, every release 15 ms late: if the button is pressed again meanwhile, it was never
      # let go.
      [keys]
      \(lines(buttons.keys, "{ strategy = \"eager-defer\", threshold = 15 }"))

      """
    case .pedal:
      """
      # All that is not named below passes as it is.
      [debounce]
      strategy = "none"

      # Every press is passed on at once, every release 40 ms late: if the contact closes again meanwhile, it was never open.
      # Treads and wires bounce for so long; a foot is slower.
      [keys]
      \(lines(buttons.keys, "{ strategy = \"eager-defer\", threshold = 40 }"))

      """
    case .keyboard:
      """
      # Its keys have the settings in keydebounce.toml, or those that are packaged. Under [keys], single ones can have others.

      """
    }
  }

  /// A line for each key, with the names in a column.
  private static func lines(_ keys: [KeyCode], _ setting: String) -> String {
    let names = keys.map { KeyNames.name(of: $0) }
    let width = names.map(\.count).max() ?? 0
    return names.map { "\($0.padded(to: width)) = \(setting)" }.joined(separator: "\n")
  }

  /// What tells the device from another of its name and numbers, such as the keyboard in a mouse: the interface that it is.
  private static func interface(
    of device: DeviceDescription, beside others: [DeviceDescription]
  ) -> [String] {
    guard let own = device.interface else { return [] }
    let hasTwin = others.contains { other in
      other.name == device.name && other.vendor == device.vendor
        && other.product == device.product && (other.uniq ?? "") == (device.uniq ?? "")
        && other.interface.map { $0 != own } ?? false
    }
    return hasTwin ? ["phys    = \(DeviceFileText.quoted("*/" + own))"] : []
  }
}

extension DeviceDescription {
  /// The last part of where it is plugged in, as `input1`: the same whichever socket that is.
  var interface: String? {
    guard let phys = identity.phys, let slash = phys.lastIndex(of: "/") else { return nil }
    let last = phys[phys.index(after: slash)...]
    return last.isEmpty ? nil : String(last)
  }
}
