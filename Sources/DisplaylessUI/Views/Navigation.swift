/// A tree in which links lead to other views.
public struct NavigationView<Content: View>: _PrimitiveView {
    private let content: Content

    public init(@ViewBuilder content: () -> Content) {
        self.content = content()
    }

    public func _render(in context: _RenderContext) {
        context.elements.append(ViewElement(.navigation, children: context.rendered(content, at: 0)))
    }
}

/// As `NavigationView`.
public struct NavigationStack<Root: View>: _PrimitiveView {
    private let root: Root

    public init(@ViewBuilder root: () -> Root) {
        self.root = root()
    }

    public func _render(in context: _RenderContext) {
        context.elements.append(ViewElement(.navigation, children: context.rendered(root, at: 0)))
    }
}

/// A button that shows another view on top, until that is dismissed.
public struct NavigationLink<Content: View, Destination: View>: View {
    private let label: Content
    private let destination: () -> Destination
    @State private var isActive = false

    public init(@ViewBuilder destination: @escaping () -> Destination, @ViewBuilder label: () -> Content) {
        self.destination = destination
        self.label = label()
    }

    public init(destination: @autoclosure @escaping () -> Destination, @ViewBuilder label: () -> Content) {
        self.destination = destination
        self.label = label()
    }

    public init<S: StringProtocol>(_ title: S, destination: @autoclosure @escaping () -> Destination)
    where Content == Text {
        self.destination = destination
        label = Text(title)
    }

    public init<S: StringProtocol>(_ title: S, @ViewBuilder destination: @escaping () -> Destination)
    where Content == Text {
        self.destination = destination
        label = Text(title)
    }

    public var body: some View {
        Button(action: { isActive = true }, label: { label })
            .sheet(isPresented: $isActive, content: destination)
    }
}

/// Switches rows to where they can be deleted and moved. Without a display they always can.
public struct EditButton: _PrimitiveView {
    public init() {}
    public func _render(in context: _RenderContext) {}
}
