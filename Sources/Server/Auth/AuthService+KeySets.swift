import EventLoop

extension AuthService {
    /// Where the keys are that a request's token can't be checked without (H-22); nil for any other request.
    func keySet(for request: HTTPRequest) -> (url: String, keyId: String)? {
        let prefix = "\(Self.base)/app/"
        let suffix = "/auth/providers/\(AuthProvider.customToken.rawValue)/login"
        guard request.method == "POST", request.path.hasPrefix(prefix), request.path.hasSuffix(suffix),
            let app = percentDecoded(request.path.dropFirst(prefix.count).dropLast(suffix.count)),
            let url = directory.app(app)?.customToken?.keySetURL,
            let text = (try? JSONValue(parsing: request.body))?["token"]?.string, let token = JSONWebToken(text),
            let id = token.header["kid"]?.string
        else { return nil }
        return (url, id)
    }

    /// Takes the keys that an issuer publishes, in place of those that it did before.
    package mutating func publish(_ keys: [String: String], at url: String) { publishedKeys[url] = keys }
}
