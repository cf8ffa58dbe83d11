/// Makes one view of the expressions in a body.
@MainActor @preconcurrency @resultBuilder
public enum ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }

    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

    @_disfavoredOverload
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
        (repeat each Content)
    > {
        TupleView((repeat each content))
    }

    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }

    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }

    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> _ConditionalContent<First, Second> {
        _ConditionalContent(.first(first))
    }

    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> _ConditionalContent<First, Second> {
        _ConditionalContent(.second(second))
    }

    public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView { AnyView(content) }
}

/// Several views, one after the other.
public struct TupleView<T>: _PrimitiveView {
    public let value: T
    private let parts: [any View]

    public init<each Content: View>(_ value: T) where T == (repeat each Content) {
        self.value = value
        var parts: [any View] = []
        for part in repeat each value { parts.append(part) }
        self.parts = parts
    }

    public func _render(in context: _RenderContext) {
        for (index, part) in parts.enumerated() { context.render(part, at: index) }
    }
}

/// One of two views.
public struct _ConditionalContent<First: View, Second: View>: _PrimitiveView {
    enum Branch {
        case first(First)
        case second(Second)
    }

    private let branch: Branch

    init(_ branch: Branch) {
        self.branch = branch
    }

    public func _render(in context: _RenderContext) {
        switch branch {
        case .first(let view): context.render(view, at: 0)
        case .second(let view): context.render(view, at: 1)
        }
    }
}

extension Optional: View where Wrapped: View {
    public var body: Never {
        preconditionFailure("an optional view has no body to ask for")
    }
}

extension Optional: _PrimitiveView where Wrapped: View {
    public func _render(in context: _RenderContext) {
        if let self { context.render(self, at: 0) }
    }
}

/// Nothing.
public struct EmptyView: _PrimitiveView {
    public init() {}

    public func _render(in context: _RenderContext) {}
}

/// A view whose type is forgotten.
public struct AnyView: _PrimitiveView {
    private let view: any View

    public init<V: View>(_ view: V) {
        self.view = view
    }

    public func _render(in context: _RenderContext) {
        context.render(view, at: 0)
    }
}
