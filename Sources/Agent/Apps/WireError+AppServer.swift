import Wire

extension WireError {
    /// How a client learns what an app's server said, or didn't say.
    init(_ error: AppServerError) {
        var facts: BSONDocument = [:]
        switch error.kind {
        case .network(let code):
            facts["reason"] = .string(code.rawValue)
            self.init(.serverUnreachable, error.message, facts: facts)
            return
        case .malformed:
            facts["status"] = .int32(Int32(clamping: error.status))
            self.init(.badServerAnswer, error.message, facts: facts)
            return
        case .named(let name): facts["errorCode"] = .string(name)
        // H-56: the names that clients give to errors without one.
        case .unnamed: facts["errorCode"] = .string("AppUnknownError")
        case .status: facts["errorCode"] = .string("HTTPError")
        }
        facts["status"] = .int32(Int32(clamping: error.status))
        if let link = error.link { facts["link"] = .string(link) }
        self.init(.appError, error.message, facts: facts)
    }

    static func unknownUser(_ id: String) -> WireError {
        WireError(.unknownUser, "the app has no user \(id) on this machine", facts: ["user": .string(id)])
    }

    static func userLoggedOut(_ id: String) -> WireError {
        WireError(.userLoggedOut, "the user \(id) is logged out; log in again", facts: ["user": .string(id)])
    }
}
