import Debounce
import DeviceSelection
import EventDevices
import Logging

/// How a device is grabbed: when no key is down, so that whoever saw a press sees its release.
extension Pipeline {
  /// Waits for all keys to come up, or for the time at which the device is grabbed all the same.
  func awaitRelease(now: Microseconds) {
    stage = .awaitingRelease(since: now, said: false, grabAt: grabTime(waitingSince: now))
  }

  /// When the device is grabbed though a key is down; `.max` for never.
  func grabTime(waitingSince start: Microseconds) -> Microseconds {
    settings.grabAfter.map { start + $0 } ?? .max
  }

  /// Tells the source what the clone's LEDs are.
  func tellLEDs() {
    let leds = clone.leds
    if !leds.isEmpty { try? source.write(Frame(time: monotonicNow(), leds)) }
  }

  /// Grabs the device if it can be grabbed now.
  ///
  /// - Parameter releasingKeys: Whether keys that are down are to be released for it.
  func grab(now: Microseconds, releasingKeys: Bool = false) {
    do {
      guard
        try releasingKeys ? source.grabReleasingKeys() : source.grabIfNoKeyIsDown()
      else {
        switch stage {
        case .awaitingRelease: return
        // Held by the other program for all we know, which hears of the key and this one does not.
        case .busy(_, let pause, let since):
          stage = .busy(retryAt: now + pause, pause: pause, keyDownSince: since ?? now)
        default: awaitRelease(now: now)
        }
        return
      }
      stage = .running
      panicChord.resynchronise(held: KeySet())
      // What may have been changed on one of them alone while the source was not grabbed.
      clone.setPace(of: source)
      let positions = source.positions
      if !positions.isEmpty { try clone.write(positions, at: now) }
      tellLEDs()
      log.notice("\(title): debounced from now on; applications read \(clone.path)")
    } catch .busy(let path, _) {
      // Said once: a remapper that started earlier will hold it for as long as it runs.
      guard case .busy(_, let pause, _) = stage else {
        let reason = DeviceError.busy(path: path, holders: source.holders())
        log.error("\(reason). Trying again from time to time")
        retry(after: Stage.Pause.busy.lowerBound, now: now)
        return
      }
      retry(after: min(2 * pause, Stage.Pause.busy.upperBound), now: now)
    } catch .gone {
      close(at: now, because: "was unplugged")
    } catch {
      log.error("\(error)")
      close(at: now, because: "cannot be grabbed and stays as it is")
    }
  }

  private func retry(after pause: Microseconds, now: Microseconds) {
    stage = .busy(retryAt: now + pause, pause: pause, keyDownSince: nil)
  }
}
