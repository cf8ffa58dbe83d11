import Foundation

/// A view for each element of a collection. Elements keep their views, wherever they move to, by their ids.
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: _PrimitiveView {
    public let data: Data
    public let content: (Data.Element) -> Content
    private let id: (Data.Element) -> ID
    private var delete: ((IndexSet) -> Void)?
    private var move: ((IndexSet, Int) -> Void)?

    public init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {
        self.data = data
        self.id = { $0[keyPath: id] }
        self.content = content
    }

    public func _render(in context: _RenderContext) {
        for (position, element) in data.enumerated() {
            var row = ViewElement(.row, children: context.rendered(content(element), at: id(element)))
            if let delete { row.delete = { delete(IndexSet(integer: position)) } }
            if let move { row.move = { move(IndexSet(integer: position), $0) } }
            context.elements.append(row)
        }
    }

    /// What to do when rows are deleted.
    public func onDelete(perform action: ((IndexSet) -> Void)?) -> ForEach {
        var copy = self
        copy.delete = action
        return copy
    }

    /// What to do when rows are moved: from where, and before which.
    public func onMove(perform action: ((IndexSet, Int) -> Void)?) -> ForEach {
        var copy = self
        copy.move = action
        return copy
    }
}

extension ForEach where Data.Element: Identifiable, ID == Data.Element.ID {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
        self.init(data, id: \.id, content: content)
    }
}

extension ForEach where Data == Range<Int>, ID == Int {
    public init(_ data: Range<Int>, @ViewBuilder content: @escaping (Int) -> Content) {
        self.init(data, id: \.self, content: content)
    }
}
