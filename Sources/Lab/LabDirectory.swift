import Foundation

/// A directory (0700), in memory where there is a place for that, which goes with the object: thousands of disk syncs of
/// machines that don't exist needn't reach a disk that does.
package final class LabDirectory: Sendable {
    package let path: String

    package init() throws {
        let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
        var template = Array("\(place)/reeve-lab-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw LabFailure("no temporary directory can be made: \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
