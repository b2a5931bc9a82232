import FuzzSubjects

/// What libFuzzer's `main` calls with one input after the other.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  if let violation = chosenSubject.violation(in: bytes) { fatalError(violation) }
  return 0
}
