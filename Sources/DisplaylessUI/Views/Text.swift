import Foundation

/// A line of words.
public struct Text: _PrimitiveView {
    let words: String

    public init<S: StringProtocol>(_ content: S) {
        words = String(content)
    }

    public init(verbatim content: String) {
        words = content
    }

    public init(_ date: Date, style: DateStyle) {
        switch style {
        case .date: words = date.formatted(date: .abbreviated, time: .omitted)
        case .time: words = date.formatted(date: .omitted, time: .shortened)
        }
    }

    /// How a date is written.
    public enum DateStyle: Sendable {
        case date
        case time
    }

    public func _render(in context: _RenderContext) {
        context.elements.append(ViewElement(.text, label: words))
    }
}

/// A picture, of which there is only the name.
public struct Image: _PrimitiveView {
    let name: String

    public init(_ name: String) {
        self.name = name
    }

    public init(systemName: String) {
        name = systemName
    }

    public func _render(in context: _RenderContext) {
        context.elements.append(ViewElement(.image, label: name))
    }
}

/// A title with a picture.
public struct Label: _PrimitiveView {
    let title: String
    let image: String

    public init<S: StringProtocol>(_ title: S, systemImage: String) {
        self.title = String(title)
        image = systemImage
    }

    public func _render(in context: _RenderContext) {
        context.elements.append(ViewElement(.text, label: title))
    }
}

/// Space, of which a tree without display has none.
public struct Spacer: _PrimitiveView {
    public init() {}
    public func _render(in context: _RenderContext) {}
}

/// A line between others, which a tree without display has none of.
public struct Divider: _PrimitiveView {
    public init() {}
    public func _render(in context: _RenderContext) {}
}

/// That something is going on, and how far it is.
public struct ProgressView<Content: View>: _PrimitiveView {
    private let label: Content
    private let fraction: () -> Double?

    public init() where Content == EmptyView {
        label = EmptyView()
        fraction = { nil }
    }

    public init<S: StringProtocol>(_ title: S) where Content == Text {
        label = Text(title)
        fraction = { nil }
    }

    public init(@ViewBuilder label: () -> Content) {
        self.label = label()
        fraction = { nil }
    }

    public init<V: BinaryFloatingPoint>(value: V?, total: V = 1) where Content == EmptyView {
        label = EmptyView()
        fraction = { value.map { Double($0) / Double(total) } }
    }

    public init<S: StringProtocol, V: BinaryFloatingPoint>(_ title: S, value: V?, total: V = 1)
    where Content == Text {
        label = Text(title)
        fraction = { value.map { Double($0) / Double(total) } }
    }

    public init(_ progress: Progress) where Content == Text {
        label = Text(progress.localizedDescription ?? "")
        fraction = { progress.fractionCompleted }
    }

    public func _render(in context: _RenderContext) {
        let words = context.rendered(label, at: 0).map(\.words).joined(separator: " ")
        context.elements.append(ViewElement(.progress, label: words, value: fraction().map { "\($0)" } ?? ""))
    }
}
