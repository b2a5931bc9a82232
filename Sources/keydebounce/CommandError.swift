import ArgumentParser
import Configuration
import Control
import DeviceFiles
import EventDevices
import Files
import Recording
import SystemPackage
import Terminal

/// Why a command cannot do what it was asked to.
struct CommandError: Error, CustomStringConvertible {
  let description: String
  let code: ExitCode

  init(_ description: String, code: ExitCode = .failure) {
    (self.description, self.code) = (description, code)
  }
}

/// The exit codes of commands, after `sysexits.h`.
extension ExitCode {
  static let badRecording = ExitCode(65)
  static let panicChord = ExitCode(75)
  static let noPermission = ExitCode(77)
  static let badConfiguration = ExitCode(78)

  /// The exit code for an error that ended the command.
  init(of error: any Error) {
    switch error {
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

  /// Reports on standard error what ended the command, a line for each error. A mistake in the configuration is
  /// followed by the line of its file.
  ///
  /// - Returns: The exit code for it.
  static func reporting(_ error: any Error) -> ExitCode {
    if let errors = error as? ConfigurationErrors {
      for problem in errors.problems { report("error: \(problem.explanation(in: .ofLocale))") }
    } else {
      // An indented line belongs to the line above it.
      for part in "\(error)".split(separator: /\n(?! )/) { report("error: \(part)") }
    }
    return ExitCode(of: error)
  }
}
