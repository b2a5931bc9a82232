/// A TOML file as a tree of values with their places.
struct TOMLDocument {
  let file: String
  let source: SourceText
  let root: TOMLItem

  /// - Throws: ``ConfigurationErrors`` if it is not valid TOML.
  init(file: String, bytes: [UInt8]) throws(ConfigurationErrors) {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let text = bytes.starts(with: mark) ? Array(bytes[mark.count...]) : bytes
    if let problem = Self.firstInvalidByte(in: text, of: file) {
      throw ConfigurationErrors([problem])
    }
    let source = SourceText(text)
    do throws(TOMLDiagnosis) {
      if let excess = TOMLDiagnosis(ofExcessIn: source) { throw excess }
      do throws(ParsedTOML.SyntaxError) {
        root = try ParsedTOML(text).root(in: source)
      } catch {
        throw TOMLDiagnosis(of: error, in: source)
      }
    } catch {
      throw ConfigurationErrors([
        Problem(
          .notTOML, file: file, place: source.place(of: error.range),
          message: "not TOML: \(error.message)")
      ])
    }
    self.source = source
    self.file = file
  }

  /// Reports the first byte that is not part of a text; `nil` if there is none.
  private static func firstInvalidByte(in bytes: [UInt8], of file: String) -> Problem? {
    // The same text, with replacement characters for what is invalid.
    let text = Array(String(decoding: bytes, as: UTF8.self).utf8)
    let count = zip(text, bytes).prefix { $0 == $1 && $0 != 0 }.count
    guard count < max(text.count, bytes.count) else { return nil }
    return Problem(
      .notTOML, file: file, place: SourceText(text).place(of: count..<count + 1),
      message: "found bytes that are not text; expected TOML in UTF-8")
  }
}
