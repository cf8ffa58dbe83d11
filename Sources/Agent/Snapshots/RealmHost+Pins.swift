import EventLoop
import Store
import Wire

// Snapshots kept on behalf of clients, and news of new ones.
extension RealmHost {
    /// Keeps a snapshot for a handle until the client gives the number back or goes.
    func pin(_ snapshot: HeldSnapshot, for handle: RealmHandle, announced: Bool = false) throws(WireError) -> Int64 {
        let number = server.nextNumber()
        try pin(snapshot, as: number, for: handle, announced: announced)
        return number
    }

    /// As above, with a number that has been made for it.
    func pin(
        _ snapshot: HeldSnapshot, as number: Int64, for handle: RealmHandle, announced: Bool = false
    ) throws(WireError) {
        let client = handle.session.number
        guard pins.mayPin(client) else {
            throw WireError(
                .tooManyHandles, "the connection holds \(pins.clientLimit) snapshots of the realm; release some",
                facts: ["limit": .int32(Int32(pins.clientLimit))])
        }
        pins.add(
            number,
            PinTable.Pin(
                client: client, handle: handle.number, hold: snapshot.hold, since: .now, isAnnounced: announced))
        held[snapshot.hold] = snapshot
        if handle.announced < snapshot.hold { handle.announced = snapshot.hold }
    }

    func release(_ numbers: [Int64], by handle: RealmHandle) {
        for number in numbers {
            if let hold = pins.release(number, by: handle.session.number) { held[hold] = nil }
        }
        announce(to: handle)
    }

    /// The snapshot behind a pin of that client, or the newest one.
    func snapshot(_ pin: Int64?, for session: ClientSession) throws(WireError) -> HeldSnapshot {
        guard let pin else {
            guard let newest else { throw WireError(.shuttingDown, "the realm is closed") }
            return newest
        }
        guard let found = pins.pins[pin], found.client == session.number, let snapshot = held[found.hold] else {
            throw WireError(.unknownPin, "the connection has no pin \(pin)", facts: ["pin": .int64(pin)])
        }
        return snapshot
    }

    /// Tells everybody who wants to know of the newest durable snapshot.
    func announce() {
        for handle in handles { announce(to: handle) }
        for handle in handles { for subscription in handle.session.subscriptions.values { subscription.evaluate() } }
    }

    /// Says nothing to a client that is slow to take or to release what it was told before, or that waits for the
    /// answer to a commit, which tells it: it hears of the then newest snapshot later.
    func announce(to handle: RealmHandle) {
        guard handle.events, let durable, handle.announced < durable.hold, handle.commitsUnderWay == 0,
            !handle.session.connection.isUnderPressure, handle.session.isOpen,
            pins.mayAnnounce(to: handle.number, of: handle.session.number),
            let pin = try? pin(durable, for: handle, announced: true)
        else { return }
        handle.session.send(
            event: RealmChanged(
                realm: handle.number, version: durable.version, pin: pin, generation: Int64(durable.generation)))
    }
}
