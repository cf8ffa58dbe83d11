/// What a view has become: a node of what would be seen.
@MainActor
public struct ViewElement {
    public enum Kind: Equatable, Sendable {
        case text
        case button
        case textField
        case toggle
        case progress
        case image
        case list
        case section
        /// A row of a `ForEach` that can be deleted or moved.
        case row
        case navigation
        /// What a link leads to, or a sheet shows: on top of the rest.
        case presented
        case stack
    }

    public var kind: Kind
    /// The words on it.
    public var label: String
    /// The text in a field, "true" or "false" of a toggle, the fraction done of a progress.
    public var value: String
    public var children: [ViewElement]
    public var isEnabled = true
    var press: (@MainActor () -> Void)?
    var enter: (@MainActor (String) -> Void)?
    var delete: (@MainActor () -> Void)?
    var move: (@MainActor (Int) -> Void)?

    init(_ kind: Kind, label: String = "", value: String = "", children: [ViewElement] = []) {
        self.kind = kind
        self.label = label
        self.value = value
        self.children = children
    }

    /// This element and all below it, from top to bottom.
    public var all: [ViewElement] {
        [self] + children.flatMap(\.all)
    }

    /// All words below, in one line.
    var words: String {
        ([label] + children.map(\.words)).filter { !$0.isEmpty }.joined(separator: " ")
    }
}
