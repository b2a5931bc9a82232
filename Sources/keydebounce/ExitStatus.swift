import ArgumentParser
import Calibration
import Configuration
import Bus
import EventDevices
import Recording
import SystemPackage
import Terminal

/// The command's exit codes, after `sysexits.h`.
enum ExitStatus: Int32 {
  case runTime = 1
  case badRecording = 65
  case panicChord = 75
  case noPermission = 77
  case badConfiguration = 78

  /// The exit code for an error that ended the command.
  init(of error: any Error) {
    switch error {
    case DeviceError.permission, ControlError.refused: self = .noPermission
    case let error as FileError where [.permissionDenied, .notPermitted].contains(error.reason):
      self = .noPermission
    case is RecordingError, is PackedFileError: self = .badRecording
    case is ConfigurationErrors, is DeviceTie: self = .badConfiguration
    case CalibratedFileError.invalid, CalibratedFileError.ignored, CalibratedFileError.overridden:
      self = .badConfiguration
    case CalibratedFileError.notWritten(_, .permissionDenied),
      CalibratedFileError.notWritten(_, .notPermitted):
      self = .noPermission
    default: self = .runTime
    }
  }
}

extension ExitCode {
  /// Reports on standard error what ended the command, a line for each error; below what is wrong with
  /// the configuration stands the line of its file.
  ///
  /// - Returns: The exit code for it.
  static func reporting(_ error: any Error) -> ExitCode {
    if let errors = error as? ConfigurationErrors {
      for problem in errors.problems { report("error: \(problem.explanation)") }
    } else {
      for line in "\(error)".split(separator: "\n") { report("error: \(line)") }
    }
    return ExitCode(ExitStatus(of: error).rawValue)
  }
}

/// Writes a message to the person who called the command, on standard error and in the characters of their locale.
func report(_ text: some StringProtocol) {
  let line = Characters.ofLocale.spell("keydebounce: \(text.printableLines)\n")
  _ = try? FileDescriptor.standardError.writeAll(line.utf8)
}
