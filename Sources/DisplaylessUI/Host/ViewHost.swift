import Dispatch
import Foundation
import Observation

/// Evaluates a view, and evaluates it again whenever something that it read has changed. On the main thread.
///
/// ```swift
/// let host = ViewHost(ContentView())
/// host.press("Add")
/// #expect(await host.settles { host.texts.contains("Rex") })
/// ```
@MainActor
public final class ViewHost {
    private let root: any View
    private let node = ViewNode()
    private let environment: EnvironmentValues
    private var round: UInt64 = 0
    private var isStale = true
    private var isScheduled = false

    /// How many times the tree was evaluated.
    public private(set) var evaluationCount = 0
    /// How many bodies of views that was.
    public private(set) var bodyCount = 0
    /// Called after an evaluation that a change has caused.
    public var onUpdate: (@MainActor () -> Void)?

    private var current: [ViewElement] = []

    /// Nothing is evaluated before it is asked for.
    public init(_ root: some View, environment: EnvironmentValues = EnvironmentValues()) {
        self.root = root
        self.environment = environment
    }

    /// What the view has become, after the changes so far.
    public var elements: [ViewElement] {
        evaluateIfNeeded()
        return current
    }

    /// Evaluates the tree if something has changed since the last time, or if it never was.
    public func evaluateIfNeeded() {
        // What appears may change something at once; a view that never comes to rest is a mistake.
        var turns = 0
        while isStale {
            turns += 1
            precondition(turns <= 100, "\(type(of: root)) changes what it shows whenever it is evaluated")
            evaluate()
        }
    }

    private func evaluate() {
        isStale = false
        round += 1
        let evaluation = Evaluation(round: round)
        let context = _RenderContext(evaluation, node, environment)
        current = withObservationTracking {
            context.rendered(root, at: 0)
        } onChange: { [weak self] in
            // Told before the change, on the thread that makes it.
            if Self.isOnMain {
                MainActor.assumeIsolated { self?.invalidate() }
            } else {
                Task { @MainActor in self?.invalidate() }
            }
        }
        evaluationCount += 1
        bodyCount += evaluation.count
        node.sweep(round)
        for action in evaluation.afterwards { action() }
    }

    /// In a program whose `main` is async, Linux serves the main queue on changing threads.
    private nonisolated static var isOnMain: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: mainKey) == true
    }

    private nonisolated static let mainKey: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    private func invalidate() {
        isStale = true
        guard !isScheduled else { return }
        isScheduled = true
        Task { @MainActor in
            self.isScheduled = false
            guard self.isStale else { return }
            self.evaluateIfNeeded()
            self.onUpdate?()
        }
    }

    /// Takes the view from the tree: what it owns goes.
    public func close() {
        isStale = false
        current = []
        round += 1
        node.sweep(round)
    }
}

// MARK: - Looking and acting
extension ViewHost {
    /// All that is there, from top to bottom.
    public var all: [ViewElement] { elements.flatMap(\.all) }

    /// All words that are shown, from top to bottom: texts, labels of controls, titles of sections.
    public var texts: [String] { all.map(\.label).filter { !$0.isEmpty } }

    /// The first element of a kind with a label; any label if it is nil.
    public func element(_ kind: ViewElement.Kind, _ label: String? = nil) -> ViewElement? {
        all.last { $0.kind == kind && (label == nil || $0.label == label) }
    }

    /// Presses the button or toggle with a label, the topmost if there are several. False if there is none.
    @discardableResult
    public func press(_ label: String) -> Bool {
        act(all.last { $0.label == label && $0.isEnabled && $0.press != nil }?.press)
    }

    /// Types into the field with a title; what was there is replaced. False if there is none.
    @discardableResult
    public func enter(_ text: String, into title: String) -> Bool {
        guard let enter = all.last(where: { $0.label == title && $0.isEnabled && $0.enter != nil })?.enter else {
            return false
        }
        return act { enter(text) }
    }

    /// Deletes the row that has some words in it. False if there is none.
    @discardableResult
    public func delete(rowOf words: String) -> Bool {
        act(row(words)?.delete)
    }

    /// Moves the row that has some words in it before the row of a number. False if there is none.
    @discardableResult
    public func move(rowOf words: String, before position: Int) -> Bool {
        guard let move = row(words)?.move else { return false }
        return act { move(position) }
    }

    private func row(_ words: String) -> ViewElement? {
        all.last { element in
            element.kind == .row && element.all.contains { $0.label == words || $0.value == words }
        }
    }

    private func act(_ action: (@MainActor () -> Void)?) -> Bool {
        guard let action else { return false }
        action()
        return true
    }

    /// Waits until a condition holds, evaluating as changes come. False if it doesn't within `deadline`.
    public func settles(within deadline: Duration = .seconds(10), _ condition: () throws -> Bool) async rethrows -> Bool
    {
        let end = ContinuousClock.now + deadline
        while try !condition() {
            guard ContinuousClock.now < end else { return false }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return true
    }
}
