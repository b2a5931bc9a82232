import Debounce
import EventDevices
import Logging

/// When a device that was in use before is grabbed.
extension Pipeline {
  /// How long the keys must have been up before the device is grabbed. Otherwise a worn key's first bounce would be what
  /// lets it be grabbed, and the second would be a stroke: the first was sent past the daemon.
  private static let rest: Microseconds = 50_000

  mutating func tryToGrab(releasingKeys: Bool, now: Instant) -> Lifecycle.GrabOutcome {
    do {
      guard releasingKeys || haveRested(now: now) else {
        keyDecides = true
        return .keyIsDown
      }
      guard try path.grab(releasingKeys: releasingKeys, at: now) else {
        // No frame may say that it is up.
        _ = haveRested(now: now)
        keyDecides = true
        return .keyIsDown
      }
      return try writeInherited(now: now)
    } catch .busy {
      reportBusyAgain()
      return .busy
    } catch .gone {
      return .unplugged
    } catch {
      log.about(.failedDevice).error("\(error)")
      return .failed
    }
  }

  /// Writes what an earlier clone of the device did not take.
  private mutating func writeInherited(now: Instant) throws(DeviceError) -> Lifecycle.GrabOutcome {
    do {
      try path.write(kept: inherited.frames, at: now)
    } catch {
      _ = path.ungrab()
      throw error
    }
    inherited = KeptEvents()
    return .grabbed
  }

  /// Reports to the lifecycle that no key is down, if that is so.
  ///
  /// - Parameter isAsked: Whether that is looked at because somebody has asked for the device, and no key has moved.
  @inline(never)
  mutating func reportKeysIfUp(now: Instant, isAsked: Bool = false) {
    let areUp =
      lifecycle.forwards
      // A press that was read already, and is not forwarded yet, would be lost.
      ? path.isAtRest && !path.source.hasMore
      // If they cannot be read, the grab fails, too, and reports why.
      : (try? path.source.keysDown().isEmpty) != false
    guard areUp else { return }
    if lifecycle.forwards || haveRested(now: now) {
      if !isAsked { keyDecides = true }
      carryOut(lifecycle.keysAreUp(at: now), now: now)
    } else {
      lifecycle.keysAreUpForNow(at: now)
    }
  }

  /// Whether no key has moved for ``rest``; if one has, ``takeTurn(now:)`` is called when that is over.
  private mutating func haveRested(now: Instant) -> Bool {
    let end = path.lastMovePassedBy + Self.rest
    restEnd = end <= now ? .never : end
    return end <= now
  }
}
