/// What an app consists of, as in SwiftUI. `@main` on a conforming type makes it a program, which shows its windows as
/// lines on standard output and takes what to do from standard input (see `TextScreen`).
@MainActor @preconcurrency
public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}

/// A window, or several.
@MainActor @preconcurrency
public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: Scene {}

/// A scene that this module shows itself. Opaque to apps.
@MainActor @preconcurrency
public protocol _PrimitiveScene: Scene where Body == Never {
    var _windows: [AnyView] { get }
}

extension _PrimitiveScene {
    public var body: Never {
        preconditionFailure("\(Self.self) is a part of the module and has no body to ask for")
    }
}

@MainActor @preconcurrency @resultBuilder
public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }

    @_disfavoredOverload
    public static func buildBlock<each Content: Scene>(_ content: repeat each Content) -> _Scenes {
        var windows: [AnyView] = []
        for scene in repeat each content { windows += scene.windows }
        return _Scenes(_windows: windows)
    }
}

/// Several scenes.
public struct _Scenes: _PrimitiveScene {
    public let _windows: [AnyView]
}

/// A window.
public struct WindowGroup<Content: View>: _PrimitiveScene {
    private let content: Content
    private let title: String?

    public init(@ViewBuilder content: () -> Content) {
        title = nil
        self.content = content()
    }

    public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {
        self.title = String(title)
        self.content = content()
    }

    public var _windows: [AnyView] {
        guard let title else { return [AnyView(content)] }
        return [AnyView(content.navigationTitle(title))]
    }
}

extension Scene {
    fileprivate var windows: [AnyView] {
        if let primitive = self as? any _PrimitiveScene { return primitive._windows }
        return body.windows
    }

    /// Sets a value of the environment of all views in the scene.
    public func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some Scene {
        _Scenes(_windows: windows.map { AnyView($0.environment(keyPath, value)) })
    }
}

extension App {
    /// Shows the app until standard input ends.
    @MainActor @preconcurrency
    public static func main() {
        TextScreen(Self().body.windows).run()
    }
}
