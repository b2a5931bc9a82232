import Control
import Status

/// The interface that each Varlink service has, `org.varlink.service`, and its errors.
enum VarlinkService {
  private static let name = "org.varlink.service"

  private struct Info: Encodable {
    let vendor = "keydebounce"
    let product = "keydebounce"
    let version = Version.current
    let url = ""
    let interfaces = [VarlinkService.name, ControlInterface.name]
  }

  /// The answer to a method that is not one of the daemon's own.
  static func answer(to method: String, _ parameters: [String: ControlValue]) -> [UInt8] {
    let interface = method.lastIndex(of: ".").map { String(method[..<$0]) } ?? ""
    switch method {
    case "\(name).GetInfo": return ControlAnswer(Info()).message
    case "\(name).GetInterfaceDescription":
      switch parameters["interface"] {
      case .text(ControlInterface.name):
        return ControlAnswer(["description": ControlInterface.description]).message
      case .text(name):
        return ControlAnswer(["description": ControlInterface.serviceDescription]).message
      case .text(let other): return error("InterfaceNotFound", ["interface": other])
      default: return invalidParameter("interface")
      }
    default:
      return interface == name || interface == ControlInterface.name
        ? error("MethodNotFound", ["method": method])
        : error("InterfaceNotFound", ["interface": interface])
    }
  }

  /// The answer to a call with a parameter that is unknown, missing, or of another type.
  static func invalidParameter(_ parameter: String) -> [UInt8] {
    error("InvalidParameter", ["parameter": parameter])
  }

  /// The answer that says only that the call was done.
  static var done: [UInt8] { ControlAnswer(ControlParameters()).message }

  private static func error(_ error: String, _ parameters: [String: String]) -> [UInt8] {
    ControlAnswer(parameters, error: "\(name).\(error)").message
  }
}
