import Configuration
import EventDevices
import Terminal

/// A name that no key has.
struct NoSuchKeyName: Error, CustomStringConvertible {
  let name: String

  var description: String {
    let nearest = KeyNames.nearest(to: name).map { "; is \($0) meant?" } ?? "."
    return "no key has the name “\(name.printable)”\(nearest) “keydebounce keys” lists the names"
  }
}
