// How things look: accepted, so that views compile, and without effect where nothing is displayed.

/// A colour, by name.
public struct Color: Hashable, Sendable {
    private let name: String

    public init(_ name: String) {
        self.name = name
    }

    public static let primary = Color("primary")
    public static let secondary = Color("secondary")
    public static let red = Color("red")
    public static let green = Color("green")
    public static let blue = Color("blue")
    public static let orange = Color("orange")
    public static let yellow = Color("yellow")
    public static let gray = Color("gray")
    public static let black = Color("black")
    public static let white = Color("white")
}

/// A font, by what it is for.
public struct Font: Hashable, Sendable {
    private let name: String

    public static let largeTitle = Font(name: "largeTitle")
    public static let title = Font(name: "title")
    public static let headline = Font(name: "headline")
    public static let subheadline = Font(name: "subheadline")
    public static let body = Font(name: "body")
    public static let callout = Font(name: "callout")
    public static let caption = Font(name: "caption")
    public static let footnote = Font(name: "footnote")
}

/// Sides of a view.
public struct Edge: Sendable {
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8

        public init(rawValue: Int8) {
            self.rawValue = rawValue
        }

        public static let top = Set(rawValue: 1)
        public static let leading = Set(rawValue: 2)
        public static let bottom = Set(rawValue: 4)
        public static let trailing = Set(rawValue: 8)
        public static let all: Set = [.top, .leading, .bottom, .trailing]
        public static let horizontal: Set = [.leading, .trailing]
        public static let vertical: Set = [.top, .bottom]
    }
}

/// How a list looks.
public protocol ListStyle {}

public struct PlainListStyle: ListStyle { public init() {} }
public struct GroupedListStyle: ListStyle { public init() {} }
public struct InsetGroupedListStyle: ListStyle { public init() {} }

extension ListStyle where Self == PlainListStyle { public static var plain: PlainListStyle { .init() } }
extension ListStyle where Self == GroupedListStyle { public static var grouped: GroupedListStyle { .init() } }
extension ListStyle where Self == InsetGroupedListStyle {
    public static var insetGrouped: InsetGroupedListStyle { .init() }
}

extension View {
    public func padding(_ edges: Edge.Set = .all, _ length: Double? = nil) -> some View { self }
    public func padding(_ length: Double) -> some View { self }
    public func frame(width: Double? = nil, height: Double? = nil) -> some View { self }
    public func frame(maxWidth: Double? = nil, maxHeight: Double? = nil) -> some View { self }
    public func font(_ font: Font?) -> some View { self }
    public func bold() -> some View { self }
    public func foregroundColor(_ color: Color?) -> some View { self }
    public func foregroundStyle(_ color: Color) -> some View { self }
    public func background(_ color: Color) -> some View { self }
    public func listStyle<S: ListStyle>(_ style: S) -> some View { self }
    public func lineLimit(_ number: Int?) -> some View { self }
}
