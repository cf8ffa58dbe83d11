import CPlatform
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
    let line = Array("RealmSwift: \(mistake.description.replacing("\n", with: " "))\n".utf8)
    reeve_say(STDERR_FILENO, line, line.count)
    fatalError(mistake.description)
}
