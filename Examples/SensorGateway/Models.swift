import Foundation
import RealmSwift

/// One reading. It only goes up to the server: no device keeps it, and nobody reads it here.
final class Reading: AsymmetricObject {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var sensor: String
    @Persisted var quantity: String
    @Persisted var value: Double
    @Persisted var time: Date
    @Persisted var place: Place?

    convenience init(sensor: String, quantity: String, value: Double, place: Place) {
        self.init()
        self.sensor = sensor
        self.quantity = quantity
        self.value = value
        self.place = place
        time = Date()
    }
}

/// Where the gateway is.
final class Place: EmbeddedObject {
    @Persisted var gateway: String
    @Persisted var room: String

    convenience init(gateway: String, room: String) {
        self.init()
        self.gateway = gateway
        self.room = room
    }
}
