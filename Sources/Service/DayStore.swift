import Debounce
import EventDevices
import Glibc
import Status
import SystemPackage

/// Where what was counted on each day is kept: a file a device, beside that of its counts.
extension StatisticsStore {
  /// What is kept of the device's days.
  func days(of device: CountedDevice) -> (days: StoredDays?, problems: [StatisticsError]) {
    var problems: [StatisticsError] = []
    let (places, beside) = dayPlaces(of: device)
    for path in places {
      switch StoredFile<StoredDays>(path) {
      case .none: continue
      case .present(let days, _): return (days, problems)
      case .newer(let format):
        problems.append(.newer(path: path, format: format, beside: beside))
      case .unusable(let reason):
        problems.append(.failed(operation: "read", path: path, reason: reason))
      }
    }
    return (nil, problems)
  }

  /// Changes what is kept of the device's days. The file is whole at any time: another one takes its place.
  func changeDays(
    of device: CountedDevice, _ change: (inout StoredDays) -> Void
  ) throws(StatisticsError) {
    let (places, beside) = dayPlaces(of: device)
    guard let path = places.first else { return }
    var days = StoredDays()
    var (place, before): (FilePath, [UInt8]) = (path, [])
    switch StoredFile<StoredDays>(path) {
    case .present(let found, let bytes): (days, before) = (found, bytes)
    case .none:
      // What stood there while the other could not be used goes on in its place.
      if case .present(let found, _) = StoredFile<StoredDays>(beside) { days = found }
    case .newer, .unusable:
      place = beside
      if case .present(let found, let bytes) = StoredFile<StoredDays>(beside) {
        (days, before) = (found, bytes)
      }
    }
    change(&days)
    let bytes = Array(days.text.utf8)
    guard bytes != before else { return }
    do {
      try WholeFile.replace(place.string, with: bytes, permissions: .ownerReadWrite)
    } catch {
      throw .failed(operation: "write", path: place, reason: error)
    }
    if place == path { unlink(beside.string) }
  }

  /// Forgets the days of a key; of all, if it is `nil`.
  func resetDays(_ key: KeyCode?, of device: CountedDevice) throws(StatisticsError) {
    for path in dayPlaces(of: device).places {
      guard case .present(var days, _) = StoredFile<StoredDays>(path) else { continue }
      guard let key else {
        if unlink(path.string) != 0 {
          throw .failed(operation: "delete", path: path, reason: Errno(rawValue: errno))
        }
        continue
      }
      days.reset(key)
      do {
        try WholeFile.replace(path.string, with: days.text.utf8, permissions: .ownerReadWrite)
      } catch {
        throw .failed(operation: "write", path: path, reason: error)
      }
    }
  }

  /// The places of the device's file, and the second of them; none if nothing is kept.
  private func dayPlaces(of device: CountedDevice) -> (places: [FilePath], beside: FilePath) {
    guard let folder else { return ([], "") }
    let beside = folder.appending(device.daysFileNameBeside)
    return ([folder.appending(device.daysFileName), beside], beside)
  }
}
