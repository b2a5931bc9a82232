import FuzzSubjects
import Glibc

/// The subject that the environment names in `FUZZ_SUBJECT`. The arguments are all libFuzzer's, which starts itself
/// again with them.
///
/// In a file of its own because the compiler takes a program of one file for a script, with a `main`; that is
/// libFuzzer's.
let chosenSubject: FuzzSubject = {
  guard let name = getenv("FUZZ_SUBJECT").map({ String(cString: $0) }),
    let subject = FuzzSubject(rawValue: name)
  else {
    fatalError("set FUZZ_SUBJECT: \(FuzzSubject.allCases.map(\.rawValue).joined(separator: ", "))")
  }
  return subject
}()
