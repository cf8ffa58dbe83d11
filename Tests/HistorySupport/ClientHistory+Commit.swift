import History
import Model
import Store

extension ClientHistory {
    /// Writes to the history's file as an app does: in one transaction that the history knows, durable when this returns.
    package func commit(_ instructions: [Instruction], to file: RealmFile) throws {
        let transaction = try file.beginWrite()
        do {
            begin(transaction)
            let bytes = try Changeset.encode(instructions)
            try bytes.withUnsafeBytes { try transaction.apply($0) }
            try append(to: transaction)
            try file.makeDurable(through: try transaction.commit(uid: nil))
        } catch {
            transaction.rollback()
            throw error
        }
    }
}
