import EventDevices

/// The command's exit codes, after `sysexits.h`.
enum ExitStatus: Int32 {
  case runTime = 1
  case noPermission = 77

  /// The exit code for an error that ended the command.
  init(of error: any Error) {
    switch error {
    case DeviceError.permission: self = .noPermission
    default: self = .runTime
    }
  }
}
