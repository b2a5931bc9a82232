/// What a strategy decides on a raw edge. The engine does the rest.
enum Decision: Equatable {
  /// Clean becomes raw now.
  case emit
  /// Clean becomes raw at this time, unless raw changes back before.
  case wait(until: Microseconds)
  /// Raw is back at what clean still is: the waiting edge and this one were chatter, and vanish.
  case withdraw(Chatter)
  /// Raw is back at what clean still is: the press that waited and this release vanish for this reason, which is not
  /// chatter.
  case ignore(Removal)
  /// The stroke that begins vanishes whole for this reason, which is not chatter. Where a time is given it is only put off:
  /// the last stroke that began before is delivered then.
  case take(Removal, deliverAt: Microseconds?)
}
