import EventLoop
import Foundation

/// A whole server: users, sync, pages for operations, and a socket for its owner, on one data directory.
@LoopActor
package final class SyncServer {
    package let auth: AuthEndpoint
    package let sync: SyncEndpoint
    private let configuration: ServerConfiguration
    private let network: any Network
    private let scheduler: any Scheduler
    private let log: ServerLog
    private let front: ServerFront
    private let administration: AdministrationSocket
    private let started: Duration

    /// Opens the data directory, making it if need be. One server may have it open at a time.
    package init(
        _ configuration: ServerConfiguration, network: any Network, scheduler: any Scheduler, log: ServerLog
    ) throws {
        self.configuration = configuration
        self.network = network
        self.scheduler = scheduler
        self.log = log
        started = scheduler.now
        let directory = configuration.dataDirectory
        let (journal, changes) = try DataDirectory.open(directory)
        var settings = AuthService.Settings()
        settings.makesApps = configuration.isDevelopment
        settings.publicURL = configuration.publicURL
        auth = AuthEndpoint(AuthService(AuthDirectory(changes), settings: settings), journal: journal)
        auth.keySets = KeySetLoader(network, scheduler: scheduler, log: log)
        if let program = configuration.mailCommand {
            let command = MailCommand(program, log: log)
            auth.sendMail = { command.send($0) }
        }
        sync = SyncEndpoint(
            dataDirectory: directory, scheduler: scheduler, options: configuration.sync, log: log)
        sync.options.flexible = { [auth] app in auth.service.directory.app(app)?.flexibleConfiguration }
        var options = ServerFront.Options()
        // A larger message breaks the rules of the sync protocol, which says so in its own words first (P-24).
        options.webSocket.messageLimit = configuration.sync.limits.messages.message + (64 << 10)
        front = ServerFront(
            network, scheduler: scheduler, options: options, auth: auth,
            sync: sync.route(now: { Int64(Date().timeIntervalSince1970) }))
        administration = AdministrationSocket(
            ServerAdministration(auth: auth, sync: sync, dataDirectory: directory),
            at: DataDirectory.socketPath(directory), scheduler: scheduler)
        front.page = { [unowned self] request in page(request) }
    }

    /// Begins to listen; returns where.
    package func start() throws -> [Endpoint] {
        let context = try configuration.certificate.map {
            try TLSContext.server(certificateChain: $0.chain, privateKey: $0.key)
        }
        let endpoints = try configuration.listen.map { try front.listen($0, tls: context) }
        try administration.start()
        return endpoints
    }

    /// Takes no more connections, ends those that are there in a way that applications don't see, finishes the work at
    /// hand, and closes the realms.
    package func shutDown(completion: @escaping @LoopActor () -> Void) {
        front.close()
        administration.close()
        sync.shutDown(completion: completion)
    }

    private func page(_ request: HTTPRequest) -> HTTPResponse? {
        guard request.method == "GET" || request.method == "HEAD" else { return nil }
        switch request.path {
        case "/health": return HTTPResponse(200, text: "ok\n")
        case "/metrics":
            return HTTPResponse(
                200, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
                body: Array(MetricsPage(sync, uptime: scheduler.now - started).text.utf8))
        default: return nil
        }
    }
}
