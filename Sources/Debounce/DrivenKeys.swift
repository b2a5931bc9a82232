/// Keys that a machine drives, and no finger.
extension Debouncer {
  /// Whether a machine makes the key's strokes now, as `adaptive` judges: a knob drives the key, or a scanner or a macro types
  /// on the device.
  public func isDriven(_ key: KeyCode) -> Bool {
    device.machine.isTyping || keys[Int(key)].adaptive.run.isDriven
  }
}
