import Debounce

extension Strategy {
  /// What the strategy is called in the configuration.
  public var name: String {
    let kind: StrategyKind =
      switch self {
      case .none: .none
      case .defer: .defer
      case .eager: .eager
      case .eagerDefer: .eagerDefer
      case .prompt: .prompt
      case .confirm: .confirm
      case .adaptive: .adaptive
      case .throttle: .throttle
      }
    return kind.rawValue
  }
}
