/// A part of what an app shows, as in SwiftUI. This module has no display: a `ViewHost` evaluates a tree of views into
/// `ViewElement`s, which a test or a terminal reads.
@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View

    /// What the view consists of. Evaluated again whenever something that it read has changed.
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { self }
}

/// A view that this module renders itself. Opaque to apps.
@MainActor @preconcurrency
public protocol _PrimitiveView: View where Body == Never {
    func _render(in context: _RenderContext)
}

extension _PrimitiveView {
    public var body: Never {
        preconditionFailure("\(Self.self) is a part of the module and has no body to ask for")
    }
}

/// A change of how a view is shown, as a type of its own.
@MainActor @preconcurrency
public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = _ViewModifierContent<Self>

    @ViewBuilder @MainActor @preconcurrency func body(content: Content) -> Body
}

/// What a modifier is applied to. Opaque to apps.
public struct _ViewModifierContent<Modifier: ViewModifier>: _PrimitiveView {
    let content: AnyView

    public func _render(in context: _RenderContext) {
        context.render(content, at: 0)
    }
}

extension View {
    public func modifier<T: ViewModifier>(_ modifier: T) -> some View {
        modifier.body(content: _ViewModifierContent(content: AnyView(self)))
    }
}
