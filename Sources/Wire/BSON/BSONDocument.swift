import Foundation

/// A document that outlives its frame: keys and values in order. Keys may repeat; reading by key finds the first.
package struct BSONDocument: Hashable, Sendable {
    package struct Element: Hashable, Sendable {
        package var key: String
        package var value: BSONValue

        package init(_ key: String, _ value: BSONValue) {
            self.key = key
            self.value = value
        }
    }

    package var elements: [Element]

    package init(_ elements: [Element] = []) {
        self.elements = elements
    }

    /// Copies everything out of the view.
    package init(_ view: UnsafeBSONView) {
        elements = view.map { Element($0.key, BSONValue($0)) }
    }

    /// Reads exactly one document.
    package init(bytes: some ContiguousBytes, depthLimit: Int = UnsafeBSONView.depthLimit) throws {
        self = try bytes.withUnsafeBytes {
            BSONDocument(try UnsafeBSONView(validating: $0, depthLimit: depthLimit))
        }
    }

    /// The first value with that key. Setting replaces it, appends it, or with nil removes all of that key.
    package subscript(key: String) -> BSONValue? {
        get { elements.first { $0.key == key }?.value }
        set {
            guard let newValue else { return elements.removeAll { $0.key == key } }
            if let index = elements.firstIndex(where: { $0.key == key }) {
                elements[index].value = newValue
            } else {
                elements.append(Element(key, newValue))
            }
        }
    }

    /// A key that occurs more than once, if there is one.
    package var duplicateKey: String? {
        var seen: Set<String> = []
        return elements.first { !seen.insert($0.key).inserted }?.key
    }

    /// The document's bytes.
    package func encoded() throws(BSONError) -> [UInt8] {
        let writer = BSONWriter()
        writer.elements(of: self)
        return try writer.finish()
    }
}

extension BSONDocument: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, BSONValue)...) {
        self.init(elements.map { Element($0.0, $0.1) })
    }
}
