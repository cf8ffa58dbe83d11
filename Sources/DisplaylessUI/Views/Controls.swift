import Foundation

/// What a button does besides its action. Only told apart, not shown.
public struct ButtonRole: Equatable, Sendable {
    private let name: String
    public static let destructive = ButtonRole(name: "destructive")
    public static let cancel = ButtonRole(name: "cancel")
}

/// Something to press.
public struct Button<Content: View>: _PrimitiveView {
    private let action: @MainActor () -> Void
    private let label: Content

    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Content) {
        self.action = action
        self.label = label()
    }

    public init(role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Content) {
        self.init(action: action, label: label)
    }

    public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) where Content == Text {
        self.init(action: action) { Text(title) }
    }

    public init<S: StringProtocol>(_ title: S, role: ButtonRole?, action: @escaping @MainActor () -> Void)
    where Content == Text {
        self.init(title, action: action)
    }

    public func _render(in context: _RenderContext) {
        let words = context.rendered(label, at: 0).map(\.words).joined(separator: " ")
        var element = ViewElement(.button, label: words)
        element.press = action
        context.elements.append(element)
    }
}

/// A line to type into.
public struct TextField: _PrimitiveView {
    private let title: String
    private let text: Binding<String>

    public init<S: StringProtocol>(_ title: S, text: Binding<String>) {
        self.title = String(title)
        self.text = text
    }

    public func _render(in context: _RenderContext) {
        context.elements.append(.field(title, text))
    }
}

/// A line to type secrets into.
public struct SecureField: _PrimitiveView {
    private let title: String
    private let text: Binding<String>

    public init<S: StringProtocol>(_ title: S, text: Binding<String>) {
        self.title = String(title)
        self.text = text
    }

    public func _render(in context: _RenderContext) {
        var element = ViewElement.field(title, text)
        element.value = String(repeating: "•", count: element.value.count)
        context.elements.append(element)
    }
}

extension ViewElement {
    static func field(_ title: String, _ text: Binding<String>) -> ViewElement {
        var element = ViewElement(.textField, label: title, value: text.wrappedValue)
        element.enter = { text.wrappedValue = $0 }
        return element
    }
}

/// Something that is on or off.
public struct Toggle<Content: View>: _PrimitiveView {
    private let isOn: Binding<Bool>
    private let label: Content

    public init(isOn: Binding<Bool>, @ViewBuilder label: () -> Content) {
        self.isOn = isOn
        self.label = label()
    }

    public init<S: StringProtocol>(_ title: S, isOn: Binding<Bool>) where Content == Text {
        self.init(isOn: isOn) { Text(title) }
    }

    public func _render(in context: _RenderContext) {
        let words = context.rendered(label, at: 0).map(\.words).joined(separator: " ")
        var element = ViewElement(.toggle, label: words, value: "\(isOn.wrappedValue)")
        let isOn = isOn
        element.press = { isOn.wrappedValue.toggle() }
        context.elements.append(element)
    }
}
