import Foundation

/// A mistake of the programmer. The text names the kind in words that stay (api.md section 39) and what it is about.
package struct Mistake: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// Writes one line that names the mistake, and traps. Nothing after it runs.
package func fail(_ mistake: Mistake) -> Never {
    let line = "RealmSwift: \(mistake.description.replacing("\n", with: " "))\n"
    FileHandle.standardError.write(Data(line.utf8))
    fatalError(mistake.description)
}
