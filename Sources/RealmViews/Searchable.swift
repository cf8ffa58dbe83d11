import ClientKit
import Foundation

#if canImport(DisplaylessUI)
    import DisplaylessUI
#else
    import SwiftUI
#endif

extension View {
    /// A search field that filters results: those whose property contains the text in either case. An empty text finds
    /// all (UI-14).
    public func searchable<T>(
        text: Binding<String>, collection: ObservedResults<T>, keyPath: KeyPath<T, String>, prompt: String = "Search"
    ) -> some View where T: RealmFetchable & Identifiable & ThreadConfined & _KeyPathRoot {
        collection.search(searchPredicate(text.wrappedValue, keyPath))
        return searchable(text: searching(text, keyPath) { collection.search($0) }, prompt: prompt)
    }

    public func searchable<Key, T>(
        text: Binding<String>, collection: ObservedSectionedResults<Key, T>, keyPath: KeyPath<T, String>,
        prompt: String = "Search"
    ) -> some View where T: RealmFetchable & Identifiable & ThreadConfined & _KeyPathRoot {
        collection.search(searchPredicate(text.wrappedValue, keyPath))
        return searchable(text: searching(text, keyPath) { collection.search($0) }, prompt: prompt)
    }
}

/// A binding that searches before it tells anybody, so that what is evaluated next shows what was found.
@MainActor
private func searching<T: _KeyPathRoot>(
    _ text: Binding<String>, _ keyPath: KeyPath<T, String>, _ search: @escaping (ViewSearch?) -> Void
) -> Binding<String> {
    Binding(
        get: { text.wrappedValue },
        set: { value in
            search(searchPredicate(value, keyPath))
            text.wrappedValue = value
        })
}

private func searchPredicate<T: _KeyPathRoot>(_ text: String, _ keyPath: KeyPath<T, String>) -> ViewSearch? {
    text.isEmpty ? nil : ViewSearch(path: _KeyPathTracer.names(keyPath).joined(separator: "."), text: text)
}
