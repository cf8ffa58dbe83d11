import Foundation
import Store

/// Realm files that are drafts, or that are made anew.
enum DataFile {
    /// Removes a realm file with all that belongs to it; one that was never finished, too. Throws `locked` if somebody has
    /// it open.
    static func remove(_ path: String) throws {
        do {
            _ = try RealmFile.delete(path)
        } catch let error as StoreError where error.code == .locked {
            throw error
        } catch {
            // A file that isn't a realm yet is none that `delete` would touch.
            discard(path)
        }
    }

    /// Removes what is at a path, and what belongs to a realm there, without a look at what it is.
    static func discard(_ path: String) {
        for suffix in [""] + CompanionFiles.suffixes { unlink(path + suffix) }
    }
}
