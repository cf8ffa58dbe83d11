import EventLoop
import Sync
import Testing

@testable import Server

/// A connection of a device for one kind of sync, with its session machine.
@LoopActor
final class DeviceLink: WebSocketDelegate {
    let mode: SyncProtocol.Mode
    private(set) var machine: ClientConnection
    private let yard: SyncYard
    private let http: HTTPClient
    private let token: String
    private var socket: WebSocket?
    private var timer: (any ScheduledTimer)?
    private(set) var isClosed = false
    /// Takes what the machine wants of the device; returns what follows at once.
    var carryOut: @LoopActor (ClientEffect) throws -> [ClientEffect] = { _ in [] }

    init(_ mode: SyncProtocol.Mode, _ yard: SyncYard, token: String) {
        self.mode = mode
        self.yard = yard
        self.token = token
        http = HTTPClient(yard.network, scheduler: yard.time)
        machine = ClientConnection(mode, jitter: { 0 })
        timer = yard.time.timer { [weak self] in self?.change { $0.tick(now: $1) } }
    }

    /// The process is gone.
    func close() {
        isClosed = true
        timer?.close()
        socket?.abort()
        socket = nil
    }

    /// The network is lost for a moment.
    func cut() { socket?.abort() }

    func change(_ body: (inout ClientConnection, Duration) -> [ClientEffect]) {
        guard !isClosed else { return }
        perform(body(&machine, yard.time.now))
        pump()
    }

    /// A file's answer, within `carryOut`.
    func answered(_ request: StoreRequest, _ answer: StoreAnswer) -> [ClientEffect] {
        machine.answered(request, answer, now: yard.time.now)
    }

    private func perform(_ effects: [ClientEffect]) {
        var effects = effects[...]
        while !isClosed, let effect = effects.popFirst() {
            switch effect {
            case .connect: connect()
            case .disconnect:
                socket?.abort()
                socket = nil
                carry(effect, &effects)
            case .refreshLocation: effects += machine.locationRefreshed(now: yard.time.now)
            default: carry(effect, &effects)
            }
        }
    }

    private func carry(_ effect: ClientEffect, _ effects: inout ArraySlice<ClientEffect>) {
        do { effects += try carryOut(effect) } catch { Issue.record(error) }
    }

    private func pump() {
        while !isClosed, let socket, machine.hasOutput, !socket.isUnderPressure {
            let (message, effects) = machine.nextMessage(now: yard.time.now)
            if let message { socket.send(message) }
            perform(effects)
        }
        guard !isClosed, let deadline = machine.deadline else { return }
        timer?.start(after: max(.zero, deadline - yard.time.now), repeating: nil)
    }

    private func connect() {
        do {
            let url = try WebURL("ws://h/api/client/v2.0/app/shop/realm-sync?baas_at=\(token)")
            _ = http.connect(to: url, subprotocols: SyncProtocol.offer(mode)) { [weak self] outcome in
                guard let self, !isClosed else { return }
                guard case .open(let socket, let response) = outcome,
                    let agreed = try? SyncProtocol.accept(
                        answered: response.headers["Sec-WebSocket-Protocol"], mode: mode)
                else { return change { $0.failed(.connect, now: $1) } }
                self.socket = socket
                socket.start(self)
                change { $0.connected(agreed, now: $1) }
            }
        } catch {
            Issue.record(error)
        }
    }

    func webSocket(_: WebSocket, didReceive message: [UInt8]) { change { $0.received(message, now: $1) } }
    func webSocket(_: WebSocket, didReceive text: String) { Issue.record("text from the server: \(text)") }
    func webSocket(_: WebSocket, pressureDidChange isHigh: Bool) { if !isHigh { pump() } }

    func webSocket(_ socket: WebSocket, didEnd end: WebSocketEnd) {
        guard self.socket === socket else { return }
        self.socket = nil
        change { machine, now in
            guard case .closed(let code, _) = end else { return machine.failed(.ended, now: now) }
            return machine.failed(.closed(code ?? 1005), now: now)
        }
    }
}
