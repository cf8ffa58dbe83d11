import Foundation
import RealmSwift

/// Takes readings from its sensors, keeps them until the server has them, and says so.
@MainActor final class Gateway {
    private let realm: Realm
    private let name: String
    private let room: String
    private(set) var stored = 0

    init(_ realm: Realm, name: String, room: String) {
        self.realm = realm
        self.name = name
        self.room = room
    }

    /// Stores what a line says, such as `kitchen-1 temperature 21.5`, in a transaction of its own: when this returns, it is on
    /// disk. Nil for a line that isn't a reading.
    func store(_ line: String) throws -> CommitReceipt? {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 3, let value = Double(words[2]) else { return nil }
        try realm.write {
            realm.create(
                Reading.self,
                value: Reading(
                    sensor: words[0], quantity: words[1], value: value, place: Place(gateway: name, room: room)))
        }
        stored += 1
        return realm.receipt
    }

    /// Whether the server has a reading by now.
    static func isUploaded(_ receipt: CommitReceipt) async throws -> Bool {
        switch try await receipt.wait(for: .uploaded, timeout: .zero) {
        case .uploaded: true
        case .durable: false
        case .rejected(let rejection): throw Refusal(reason: rejection.reason)
        }
    }

    /// The server doesn't take what this gateway sends.
    struct Refusal: LocalizedError {
        let reason: String
        var errorDescription: String? { "the server refuses readings: \(reason)" }
    }
}
