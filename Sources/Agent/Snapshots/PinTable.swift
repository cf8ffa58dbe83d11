/// Which snapshots of one realm are kept for whom.
///
/// A pin is a number that a client holds; pins of the same snapshot share one hold, which is an LMDB read transaction.
/// Pure: the shell keeps a snapshot for each hold that exists.
struct PinTable {
    typealias Client = UInt64

    /// A snapshot: its version, and in which incarnation of the file.
    struct Hold: Hashable, Comparable {
        var generation: UInt64
        var version: UInt64

        static func < (a: Hold, b: Hold) -> Bool {
            a.generation != b.generation ? a.generation < b.generation : a.version < b.version
        }
    }

    struct Pin: Hashable {
        var client: Client
        /// Handle of the realm on the client's connection.
        var handle: Int32
        var hold: Hold
        var since: ContinuousClock.Instant
        /// Made by an announcement and not asked for, and not known to be in use.
        var isAnnounced: Bool
    }

    private struct Handle: Hashable {
        var client: Client
        var number: Int32
    }

    /// Announced pins that a handle may leave neither released nor kept; then announcements wait.
    let announcedLimit: Int
    /// Pins that one connection may hold on a realm, and different snapshots that they may keep: those are what is
    /// scarce.
    let clientLimit: Int
    let clientHoldLimit: Int
    private(set) var pins: [Int64: Pin] = [:]
    private var holds: [Hold: Int] = [:]
    private var announced: [Handle: Int] = [:]
    private var perClient: [Client: Int] = [:]
    private var holdsPerClient: [Client: [Hold: Int]] = [:]

    init(announcedLimit: Int = 8, clientLimit: Int = 4096, clientHoldLimit: Int = 1024) {
        self.announcedLimit = announcedLimit
        self.clientLimit = clientLimit
        self.clientHoldLimit = clientHoldLimit
    }

    /// Snapshots that must be kept.
    var heldSnapshots: [Hold] { holds.keys.sorted() }
    func isHeld(_ hold: Hold) -> Bool { holds[hold] != nil }
    var oldest: Pin? { pins.values.min { $0.hold < $1.hold } }
    func count(of client: Client) -> Int { perClient[client] ?? 0 }
    /// Different snapshots that the client's pins keep.
    func holds(of client: Client) -> some Collection<Hold> { (holdsPerClient[client] ?? [:]).keys }
    func mayPin(_ hold: Hold, for client: Client) -> Bool {
        guard count(of: client) < clientLimit else { return false }
        guard let own = holdsPerClient[client] else { return clientHoldLimit > 0 }
        return own.count < clientHoldLimit || own[hold] != nil
    }
    /// Whether the handle has released enough of what it was told of before.
    func mayAnnounce(_ hold: Hold, to handle: Int32, of client: Client) -> Bool {
        (announced[Handle(client: client, number: handle)] ?? 0) < announcedLimit && mayPin(hold, for: client)
    }

    mutating func add(_ number: Int64, _ pin: Pin) {
        precondition(pins[number] == nil, "pin \(number) exists")
        pins[number] = pin
        holds[pin.hold, default: 0] += 1
        perClient[pin.client, default: 0] += 1
        holdsPerClient[pin.client, default: [:]][pin.hold, default: 0] += 1
        if pin.isAnnounced { announced[Handle(client: pin.client, number: pin.handle), default: 0] += 1 }
    }

    /// The client goes on using a pin that it was told of: it is one like those that it asked for.
    mutating func keep(_ number: Int64, by client: Client) {
        guard let pin = pins[number], pin.client == client, pin.isAnnounced else { return }
        pins[number]?.isAnnounced = false
        Self.decrement(&announced, Handle(client: pin.client, number: pin.handle))
    }

    /// Ends a pin of that client. Returns the hold that nobody needs any more, if it was the last on it; nothing
    /// happens for numbers that aren't the client's.
    mutating func release(_ number: Int64, by client: Client) -> Hold? {
        guard let pin = pins[number], pin.client == client else { return nil }
        return remove(number, pin)
    }

    /// Ends all pins of a handle, or with nil of all handles of the client.
    mutating func releaseAll(of client: Client, handle: Int32? = nil) -> [Hold] {
        guard perClient[client] != nil else { return [] }
        return pins.filter { $0.value.client == client && (handle == nil || $0.value.handle == handle) }
            .compactMap { remove($0.key, $0.value) }
    }

    private mutating func remove(_ number: Int64, _ pin: Pin) -> Hold? {
        pins[number] = nil
        Self.decrement(&perClient, pin.client)
        Self.decrement(&holdsPerClient[pin.client, default: [:]], pin.hold)
        if holdsPerClient[pin.client]?.isEmpty == true { holdsPerClient[pin.client] = nil }
        if pin.isAnnounced { Self.decrement(&announced, Handle(client: pin.client, number: pin.handle)) }
        return Self.decrement(&holds, pin.hold) ? pin.hold : nil
    }

    /// Whether the count fell to nothing.
    @discardableResult
    private static func decrement<Key>(_ counts: inout [Key: Int], _ key: Key) -> Bool {
        guard let count = counts[key] else { return false }
        counts[key] = count > 1 ? count - 1 : nil
        return count == 1
    }
}
