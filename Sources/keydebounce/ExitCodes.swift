import ArgumentParser
import Configuration
import Control
import DeviceFiles
import EventDevices
import Files
import Recording
import SystemPackage

/// The exit codes of commands, after `sysexits.h`.
extension ExitCode {
  static let badRecording = ExitCode(65)
  static let panicChord = ExitCode(75)
  static let noPermission = ExitCode(77)
  static let badConfiguration = ExitCode(78)

  /// The exit code for an error that ended the command.
  init(of error: any Error) {
    switch error {
    case let code as ExitCode: self = code
    case DeviceError.permission, ControlError.refused, ControlError.noPermission:
      self = .noPermission
    case let error as FileError where [.permissionDenied, .notPermitted].contains(error.reason):
      self = .noPermission
    case let error as CommandError: self = error.code
    case is RecordingError: self = .badRecording
    case is ConfigurationErrors, is DeviceTie: self = .badConfiguration
    case let error as DeviceFileError:
      self =
        switch error.kind {
        case .refused: .failure
        case .badConfiguration: .badConfiguration
        case .noPermission: .noPermission
        }
    default: self = .failure
    }
  }
}

/// Why a command cannot do what it was asked to.
struct CommandError: Error, CustomStringConvertible {
  let description: String
  let code: ExitCode

  init(_ description: String, code: ExitCode = .failure) {
    (self.description, self.code) = (description, code)
  }
}
