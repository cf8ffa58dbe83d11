/// A view, rendered in a way of its own.
struct _ModifiedView<Content: View>: _PrimitiveView {
    private let content: Content
    private let way: @MainActor (_RenderContext, Content) -> Void

    init(_ content: Content, _ way: @escaping @MainActor (_RenderContext, Content) -> Void) {
        self.content = content
        self.way = way
    }

    func _render(in context: _RenderContext) {
        way(context, content)
    }
}

extension View {
    /// Called when the view has come into the tree.
    public func onAppear(perform action: (@MainActor () -> Void)? = nil) -> some View {
        _ModifiedView(self) { context, content in
            context.render(content, at: 0)
            context.once("appeared") { action?() }
        }
    }

    /// Called when the view is no longer in the tree.
    public func onDisappear(perform action: (@MainActor () -> Void)? = nil) -> some View {
        _ModifiedView(self) { context, content in
            context.render(content, at: 0)
            guard let action else { return }
            context.node.whenGone = [action]
        }
    }

    /// Begins when the view comes into the tree, and is cancelled when it goes.
    public func task(
        priority: TaskPriority = .userInitiated, _ action: @escaping @MainActor @Sendable () async -> Void
    ) -> some View {
        _ModifiedView(self) { context, content in
            context.render(content, at: 0)
            let node = context.node
            context.once("task") {
                let task = Task(priority: priority) { await action() }
                node.whenGone.append { task.cancel() }
            }
        }
    }

    /// Called after an evaluation in which the value was another than in the one before.
    public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping @MainActor (V, V) -> Void
    ) -> some View {
        _ModifiedView(self) { context, content in
            context.render(content, at: 0)
            let former = context.node.memory["value"] as? V
            context.node.memory["value"] = value
            guard let former else {
                if initial { context.evaluation.afterwards.append { action(value, value) } }
                return
            }
            if former != value { context.evaluation.afterwards.append { action(former, value) } }
        }
    }

    public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping @MainActor () -> Void
    ) -> some View {
        onChange(of: value, initial: initial) { _, _ in action() }
    }

    /// Shows another view on top while `isPresented` is true.
    public func sheet<Content: View>(
        isPresented: Binding<Bool>, onDismiss: (@MainActor () -> Void)? = nil,
        @ViewBuilder content: @escaping () -> Content
    ) -> some View {
        _ModifiedView(self) { context, view in
            context.render(view, at: 0)
            guard isPresented.wrappedValue else { return }
            context.present(content(), onDismiss) { isPresented.wrappedValue = false }
        }
    }

    /// Shows another view on top while there is an item.
    public func sheet<Item: Identifiable, Content: View>(
        item: Binding<Item?>, onDismiss: (@MainActor () -> Void)? = nil,
        @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View {
        _ModifiedView(self) { context, view in
            context.render(view, at: 0)
            guard let shown = item.wrappedValue else { return }
            context.present(content(shown), onDismiss) { item.wrappedValue = nil }
        }
    }

    /// A field for a text to search for.
    public func searchable<S: StringProtocol>(text: Binding<String>, prompt: S) -> some View {
        _ModifiedView(self) { context, content in
            context.elements.append(.field(String(prompt), text))
            context.render(content, at: 0)
        }
    }

    public func searchable(text: Binding<String>) -> some View {
        searchable(text: text, prompt: "Search")
    }

    public func disabled(_ isDisabled: Bool) -> some View {
        _ModifiedView(self) { context, content in
            context.elements += context.rendered(content, at: 0).map { isDisabled ? $0.disabled : $0 }
        }
    }

    /// Shown above the view.
    public func navigationTitle<S: StringProtocol>(_ title: S) -> some View {
        let words = String(title)
        return _ModifiedView(self) { context, content in
            context.elements.append(ViewElement(.text, label: words))
            context.render(content, at: 0)
        }
    }

    public func navigationBarTitle<S: StringProtocol>(_ title: S) -> some View { navigationTitle(title) }

    /// Shown beside the title.
    public func navigationBarItems<Leading: View, Trailing: View>(leading: Leading, trailing: Trailing) -> some View {
        _ModifiedView(self) { context, content in
            context.render(leading, at: "leading")
            context.render(trailing, at: "trailing")
            context.render(content, at: 0)
        }
    }

    public func navigationBarItems<Trailing: View>(trailing: Trailing) -> some View {
        navigationBarItems(leading: EmptyView(), trailing: trailing)
    }

    public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View {
        navigationBarItems(trailing: content())
    }
}

extension _RenderContext {
    /// Does something after the first evaluation in which the view is there.
    fileprivate func once(_ name: String, _ action: @escaping @MainActor () -> Void) {
        guard node.memory.updateValue(true, forKey: name) == nil else { return }
        evaluation.afterwards.append(action)
    }

    fileprivate func present(
        _ view: some View, _ onDismiss: (@MainActor () -> Void)?, _ end: @escaping @MainActor () -> Void
    ) {
        let outer = environment
        environment[DismissKey.self] = DismissAction {
            end()
            onDismiss?()
        }
        elements.append(ViewElement(.presented, children: rendered(view, at: "presented")))
        environment = outer
    }
}

extension ViewElement {
    fileprivate var disabled: ViewElement {
        var copy = self
        copy.isEnabled = false
        copy.children = children.map(\.disabled)
        return copy
    }
}
