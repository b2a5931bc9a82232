import Glibc
import SystemPackage

package extension Errno {
  /// The reason why the last call to the C library failed.
  static var last: Errno { Errno(rawValue: Glibc.errno) }

  /// Returns what `body` returns. All errors of swift-system's calls are `Errno`.
  static func typed<Value: ~Copyable>(_ body: () throws -> Value) throws(Errno) -> Value {
    do {
      return try body()
    } catch {
      throw error as? Errno ?? .ioError
    }
  }

  /// Throws the reason of a call that failed, which returned -1.
  static func check(_ result: CInt) throws(Errno) {
    if result < 0 { throw .last }
  }
}

package extension String {
  /// The text of a C string; empty if there is none.
  init(text: UnsafePointer<CChar>?) {
    self = text.map(String.init(cString:)) ?? ""
  }
}
