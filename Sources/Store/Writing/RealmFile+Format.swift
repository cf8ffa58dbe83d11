import Foundation
import Model

extension StoredSchema {
    /// The oldest format that can hold these classes.
    var neededFormat: UInt32 {
        let isNew = tables.contains { table in
            table.kind == .embedded
                || table.columns.contains { column in
                    column.property.type == .mixed || column.property.collection == .set
                        || column.property.collection == .dictionary
                }
        }
        return isNew ? 2 : 1
    }
}

extension RealmFile {
    /// Makes the file's stamp say that it has a newer format, if it doesn't. It is done before the transaction that
    /// needs the format is committed: a file that says so too early can still be read by whoever knows the format.
    func raiseFormat(to format: UInt32) throws {
        try state.withLock { state in
            guard state.stamp.format < format else { return }
            var stamp = state.stamp
            stamp.format = format
            // Not by the path, which may lead to another file by now.
            guard let descriptor = state.environment?.descriptor else { return }
            try stamp.write(to: descriptor, path: path)
            state.stamp = stamp
        }
    }
}
