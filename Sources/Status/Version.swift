public enum Version {
  public static let current = "0.4.0"
}
