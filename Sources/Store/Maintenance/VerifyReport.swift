/// What a walk over a realm file found.
package struct VerifyReport: Sendable {
    package struct Table: Hashable, Sendable {
        package var name: String
        package var objects: Int
        package var clusters: Int
    }

    package var version: UInt64 = 0
    package var generation: UInt64 = 0
    package var tables: [Table] = []
    package var pageSize = 0
    package var usedPages = 0
    package var freePages = 0
    /// What is wrong, a line each; at most a few hundred.
    package var findings: [String] = []

    package var isClean: Bool { findings.isEmpty }
}
