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
    self =
      switch error {
      case let code as ExitCode: code
      case let error as CommandError: error.code
      case DeviceError.permission, ControlError.refused, ControlError.noPermission: .noPermission
      case let error as FileError where [.permissionDenied, .notPermitted].contains(error.reason):
        .noPermission
      case let error as DeviceFileError where error.kind == .noPermission: .noPermission
      case let error as DeviceFileError where error.kind == .badConfiguration: .badConfiguration
      case is ConfigurationErrors, is DeviceTie: .badConfiguration
      case is RecordingError: .badRecording
      default: .failure
      }
  }
}

struct CommandError: Error, CustomStringConvertible {
  let description: String
  let code: ExitCode

  init(_ description: String, code: ExitCode = .failure) {
    (self.description, self.code) = (description, code)
  }
}
