/// Why the laboratory can't do what it is asked to.
package struct LabFailure: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
