import Foundation

/// Folders of the data directory. Only their owner may look into them.
package enum DataDirectory {
    /// Why a folder can't be made.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String
    }

    /// Makes a folder below the data directory, and those in between; durably, so that what is acknowledged in a file of
    /// it doesn't go with the folder's name.
    package static func make(_ folder: String, in dataDirectory: String) throws {
        var path = dataDirectory
        for name in folder.split(separator: "/") {
            let parent = path
            path += "/" + name
            if mkdir(path, 0o700) == 0 {
                try sync(parent)
            } else if errno != EEXIST {
                throw failure("the folder \(path) can't be made")
            }
        }
    }

    /// Brings the names in a folder to disk.
    package static func sync(_ folder: String) throws {
        let descriptor = Foundation.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("the folder \(folder) can't be opened") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("the folder \(folder) can't be synced") }
    }

    fileprivate static func failure(_ what: String) -> Failure {
        Failure(description: "\(what): \(String(cString: strerror(errno)))")
    }
}

extension DataDirectory {
    /// Makes the directory if need be, and opens the journal of apps and users, whose lock makes the caller the only one
    /// who has it open.
    static func open(_ directory: String) throws -> (journal: AuthJournalFile, changes: [AuthChange]) {
        if mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw failure("the data directory \(directory) can't be made")
        }
        return try AuthJournalFile.open(directory + "/users.journal")
    }

    /// Where the owner's commands reach a running server.
    package static func socketPath(_ directory: String) -> String { directory + "/admin.sock" }
}
