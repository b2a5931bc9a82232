/// Small drawings in a line of text.
extension Sheet {
  /// A bar whose length shows a share: in eighths of a column where there are such characters.
  public func bar(_ share: Double, columns: Int) -> String {
    let share = min(max(share, 0), 1)
    guard isUnicode else {
      let length = share > 0 ? max(1, Int((share * Double(columns)).rounded())) : 0
      return String(repeating: "#", count: length)
    }
    let eighths = share > 0 ? max(1, Int((share * Double(columns * 8)).rounded())) : 0
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
    return String(repeating: "█", count: eighths / 8) + rest
  }

  /// Columns whose heights show counts, relative to the highest of them: one character each, a space for none.
  public func sparkline(_ counts: [UInt32]) -> String {
    let levels = Array(isUnicode ? "▁▂▃▄▅▆▇" : ".:-=+*#")
    let highest = Double(counts.max() ?? 0)
    return String(
      counts.map { count -> Character in
        guard count > 0 else { return " " }
        return levels[Int((Double(count) / highest * Double(levels.count - 1)).rounded())]
      })
  }
}
