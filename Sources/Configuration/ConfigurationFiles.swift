import Glibc

/// Reading the configuration from the file system.
extension Settings {
  /// The name of the file that holds for every device, and that of the folder with those about one.
  private static let defaultsFile = "keydebounce.toml"
  private static let devicesFolder = "devices.d"

  /// Reads a configuration folder (`keydebounce.toml` and `devices.d/*.toml`, each of which may be missing), or
  /// one file: a device file, or a `keydebounce.toml`.
  ///
  /// - Throws: ``ConfigurationErrors`` with everything that is wrong.
  public init(readingFrom path: String) throws(ConfigurationErrors) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw ConfigurationErrors([.init(file: path, reason: errno)])
    }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    let isDefaultsFile = path.split(separator: "/").last == Self.defaultsFile[...]
    var reading = Reading()
    if isFolder {
      let folder = path.hasSuffix("/") ? path : path + "/"
      reading.readDefaults(folder + Self.defaultsFile)
      for file in reading.files(in: folder + Self.devicesFolder) { reading.readDevice(file) }
    } else if isDefaultsFile {
      reading.readDefaults(path)
    } else {
      reading.readDevice(path)
    }
    guard reading.problems.isEmpty else { throw ConfigurationErrors(reading.problems) }
    self.init(
      rules: .init(
        strategy: reading.defaults.choice.strategy, flush: reading.defaults.flush),
      devices: reading.devices)
  }
}

/// What has been read so far, and what is wrong with it.
private struct Reading {
  /// The longest file that is believed to be one of ours.
  private static let longest = 1 << 20

  var defaults = Defaults()
  var devices: [DeviceSettings] = []
  var problems: [ConfigurationErrors.Problem] = []

  /// Reads the file that holds for every device, if there is one.
  mutating func readDefaults(_ path: String) {
    guard access(path, F_OK) == 0, var reader = reader(of: path) else { return }
    defaults = reader.defaults()
    problems += reader.problemsInOrder
  }

  mutating func readDevice(_ path: String) {
    guard var reader = reader(of: path) else { return }
    devices.append(reader.device(refining: defaults))
    problems += reader.problemsInOrder
  }

  /// The TOML files of a folder, by name; none if there is no such folder.
  mutating func files(in folder: String) -> [String] {
    guard let stream = opendir(folder) else {
      if errno != ENOENT { problems.append(.init(file: folder, reason: errno)) }
      return []
    }
    defer { closedir(stream) }
    var files: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      // Not those that an editor keeps beside it.
      if name.hasSuffix(".toml"), !name.hasPrefix(".") { files.append("\(folder)/\(name)") }
    }
    return files.sorted()
  }

  private mutating func reader(of path: String) -> TableReader? {
    guard let bytes = contents(of: path) else { return nil }
    do {
      return TableReader(try TOMLDocument(file: path, bytes: bytes))
    } catch {
      problems += error.problems
      return nil
    }
  }

  private mutating func contents(of path: String) -> [UInt8]? {
    guard let file = fopen(path, "re") else {
      problems.append(.init(file: path, reason: errno))
      return nil
    }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: Self.longest + 1)
    let count = fread(&bytes, 1, bytes.count, file)
    guard ferror(file) == 0 else {
      problems.append(.init(file: path, reason: errno))
      return nil
    }
    guard count <= Self.longest else {
      problems.append(
        .init(
          file: path, line: nil,
          message: "found more than \(Self.longest) bytes; expected a configuration"))
      return nil
    }
    return Array(bytes[..<count])
  }
}

extension ConfigurationErrors.Problem {
  fileprivate init(file: String, reason: CInt) {
    self.init(
      file: file, line: nil, message: "cannot be read: \(String(cString: strerror(reason)))")
  }
}
