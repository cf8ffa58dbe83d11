/// Where a view is being evaluated. Opaque to apps.
@MainActor
public final class _RenderContext {
    let evaluation: Evaluation
    let node: ViewNode
    var environment: EnvironmentValues
    var elements: [ViewElement] = []

    init(_ evaluation: Evaluation, _ node: ViewNode, _ environment: EnvironmentValues) {
        self.evaluation = evaluation
        self.node = node
        self.environment = environment
    }

    /// Evaluates a view at a place among the children and appends what it becomes.
    func render(_ view: some View, at slot: AnyHashable) {
        elements += rendered(view, at: slot)
    }

    /// What a view at a place among the children becomes.
    func rendered(_ view: some View, at slot: AnyHashable) -> [ViewElement] {
        let child = node.child(slot, type(of: view), evaluation.round)
        let context = _RenderContext(evaluation, child, environment)
        if let primitive = view as? any _PrimitiveView {
            primitive._render(in: context)
        } else {
            var view = view
            UnsafeFieldInstaller.install(&view, InstallationPlace(node: child, environment: environment))
            evaluation.count += 1
            context.render(view.body, at: 0)
        }
        return context.elements
    }
}

/// One evaluation of a tree.
@MainActor
final class Evaluation {
    let round: UInt64
    /// How many bodies were evaluated.
    var count = 0
    /// What is to happen when the tree is complete: views that appear, values that changed.
    var afterwards: [@MainActor () -> Void] = []

    init(round: UInt64) {
        self.round = round
    }
}
