import Debounce
import EventDevices
import Foundation
import Recording
import Testing

/// What is written is read by evemu itself. Its programs want a device, which tests elsewhere have; the library
/// beneath them does not.
@Suite("A recording in evemu")
struct EvemuLibraryTests {
  private typealias Device = OpaquePointer

  /// A function of evemu's library.
  private func function<Function>(_ name: String) throws -> Function {
    let library = try #require(
      dlopen("libevemu.so.3", RTLD_NOW), "evemu-tools is not installed: make setup")
    return unsafeBitCast(try #require(dlsym(library, name)), to: Function.self)
  }

  /// The kernel's `struct input_event`.
  private struct InputEvent: Equatable {
    var seconds: Int
    var microseconds: Int
    var type: UInt16
    var code: UInt16
    var value: Int32
  }

  @Test("has its device and its events")
  func load() throws {
    let device = RecordedDevice(
      DeviceIdentity(
        name: "Worn keyboard # 2", bus: 3, vendor: 0x3434, product: 0x120, version: 0x111),
      DeviceCapabilities(
        properties: [3], codes: [0: [0, 1, 3], 1: [30, 272], 3: [0]],
        axes: [.init(code: 0, minimum: -1, maximum: 1023, fuzz: 0, flat: 2, resolution: 12)]))
    var text = RecordingText(of: device)
    text.append(raw: Frame(time: 5_000_000, [.scan(-5), .key(30, down: true)]))
    text.append(clean: Frame(time: 5_000_000, [.key(30, down: true)]))
    text.append(raw: Frame(time: 6_250_001, [.key(30, down: false)]))
    text.appendClosing(at: 7_000_000)

    let create: @convention(c) (UnsafePointer<CChar>?) -> Device? = try function("evemu_new")
    let delete: @convention(c) (Device?) -> Void = try function("evemu_delete")
    let read: @convention(c) (Device?, UnsafeMutablePointer<FILE>?) -> CInt =
      try function("evemu_read")
    let readEvent: @convention(c) (UnsafeMutablePointer<FILE>?, UnsafeMutableRawPointer) -> CInt =
      try function("evemu_read_event")
    let name: @convention(c) (Device?) -> UnsafePointer<CChar>? = try function("evemu_get_name")
    let product: @convention(c) (Device?) -> CUnsignedInt = try function("evemu_get_id_product")
    let hasProperty: @convention(c) (Device?, CInt) -> CInt = try function("evemu_has_prop")
    let hasEvent: @convention(c) (Device?, CInt, CInt) -> CInt = try function("evemu_has_event")
    let maximum: @convention(c) (Device?, CInt) -> CInt = try function("evemu_get_abs_maximum")
    let resolution: @convention(c) (Device?, CInt) -> CInt =
      try function("evemu_get_abs_resolution")

    var bytes = text.bytes
    let file = try #require(fmemopen(&bytes, bytes.count, "r"))
    defer { fclose(file) }
    let loaded = create(nil)
    defer { delete(loaded) }
    #expect(read(loaded, file) > 0)
    #expect(name(loaded).map { String(cString: $0) } == device.identity.name)
    #expect(product(loaded) == 0x120)
    #expect(hasProperty(loaded, 3) == 1 && hasProperty(loaded, 1) == 0)
    #expect(hasEvent(loaded, 1, 272) == 1 && hasEvent(loaded, 1, 31) == 0)
    #expect(maximum(loaded, 0) == 1023 && resolution(loaded, 0) == 12)

    var events: [InputEvent] = []
    var event = InputEvent(seconds: 0, microseconds: 0, type: 0, code: 0, value: 0)
    while readEvent(file, &event) > 0 { events.append(event) }
    #expect(
      events == [
        InputEvent(seconds: 0, microseconds: 0, type: 4, code: 4, value: -5),
        InputEvent(seconds: 0, microseconds: 0, type: 1, code: 30, value: 1),
        InputEvent(seconds: 0, microseconds: 0, type: 0, code: 0, value: 0),
        InputEvent(seconds: 1, microseconds: 250_001, type: 1, code: 30, value: 0),
        InputEvent(seconds: 1, microseconds: 250_001, type: 0, code: 0, value: 0),
      ])
  }
}
