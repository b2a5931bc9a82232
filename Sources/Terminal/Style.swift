/// A colour or an attribute that every terminal and every colour scheme has.
public enum Style: String, Sendable {
  case bold = "1"
  case faint = "2"
  case reverse = "7"
  case red = "31"
  case green = "32"
  case yellow = "33"
  case blue = "34"
  case magenta = "35"
  case cyan = "36"
}
