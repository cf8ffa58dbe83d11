/// Which edge of each other views in a column are lined up at. Without a display nothing is.
public enum HorizontalAlignment: Sendable {
    case leading
    case center
    case trailing
}

/// Which edge of each other views in a row are lined up at. Without a display nothing is.
public enum VerticalAlignment: Sendable {
    case top
    case center
    case bottom
}

/// Views one below the other.
public struct VStack<Content: View>: _PrimitiveView {
    private let content: Content

    public init(
        alignment: HorizontalAlignment = .center, spacing: Double? = nil, @ViewBuilder content: () -> Content
    ) {
        self.content = content()
    }

    public func _render(in context: _RenderContext) { context.render(content, at: 0) }
}

/// Views side by side: one line.
public struct HStack<Content: View>: _PrimitiveView {
    private let content: Content

    public init(alignment: VerticalAlignment = .center, spacing: Double? = nil, @ViewBuilder content: () -> Content) {
        self.content = content()
    }

    public func _render(in context: _RenderContext) {
        context.elements.append(ViewElement(.stack, children: context.rendered(content, at: 0)))
    }
}

/// Views on top of each other.
public struct ZStack<Content: View>: _PrimitiveView {
    private let content: Content

    public init(@ViewBuilder content: () -> Content) {
        self.content = content()
    }

    public func _render(in context: _RenderContext) { context.render(content, at: 0) }
}

/// Several views as one.
public struct Group<Content: View>: _PrimitiveView {
    private let content: Content

    public init(@ViewBuilder content: () -> Content) {
        self.content = content()
    }

    public func _render(in context: _RenderContext) { context.render(content, at: 0) }
}

/// Fields to fill in.
public struct Form<Content: View>: _PrimitiveView {
    private let content: Content

    public init(@ViewBuilder content: () -> Content) {
        self.content = content()
    }

    public func _render(in context: _RenderContext) { context.render(content, at: 0) }
}

/// Rows.
public struct List<SelectionValue: Hashable, Content: View>: _PrimitiveView {
    private let content: Content

    private init(rows: Content) {
        content = rows
    }

    public func _render(in context: _RenderContext) {
        context.elements.append(ViewElement(.list, children: context.rendered(content, at: 0)))
    }
}

extension List where SelectionValue == Never {
    public init(@ViewBuilder content: () -> Content) {
        self.init(rows: content())
    }

    public init<Data: RandomAccessCollection, RowContent: View>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    ) where Content == ForEach<Data, Data.Element.ID, RowContent>, Data.Element: Identifiable {
        self.init(rows: ForEach(data, content: rowContent))
    }

    public init<Data: RandomAccessCollection, ID: Hashable, RowContent: View>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    ) where Content == ForEach<Data, ID, RowContent> {
        self.init(rows: ForEach(data, id: id, content: rowContent))
    }
}

/// Rows that belong together.
public struct Section<Parent: View, Content: View, Footer: View>: _PrimitiveView {
    private let header: Parent
    private let content: Content
    private let footer: Footer

    private init(_ header: Parent, _ content: Content, _ footer: Footer) {
        self.header = header
        self.content = content
        self.footer = footer
    }

    public func _render(in context: _RenderContext) {
        let words = context.rendered(header, at: "header").map(\.words).joined(separator: " ")
        context.elements.append(
            ViewElement(
                .section, label: words,
                children: context.rendered(content, at: "content") + context.rendered(footer, at: "footer")))
    }
}

extension Section where Footer == EmptyView {
    public init(header: Parent, @ViewBuilder content: () -> Content) {
        self.init(header, content(), EmptyView())
    }

    public init(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent) {
        self.init(header(), content(), EmptyView())
    }
}

extension Section where Parent == Text, Footer == EmptyView {
    public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {
        self.init(Text(title), content(), EmptyView())
    }
}

extension Section where Parent == EmptyView, Footer == EmptyView {
    public init(@ViewBuilder content: () -> Content) {
        self.init(EmptyView(), content(), EmptyView())
    }
}

extension Section {
    public init(
        @ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent, @ViewBuilder footer: () -> Footer
    ) {
        self.init(header(), content(), footer())
    }
}
