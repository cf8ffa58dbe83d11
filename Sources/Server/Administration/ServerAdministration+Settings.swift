// app.set: how users of an app may log in.
extension ServerAdministration {
    func setApp(_ arguments: JSONValue, _ completion: @escaping Completion) throws(Failure) {
        let name = try Self.text("name", arguments)
        let changes = try Self.changes(arguments)
        try administer(completion, answer: ["id": .string(name)]) { service throws(AuthFailure) in
            try service.updateApp(name) { app in for change in changes { change(&app) } }
        }
    }

    private typealias Change = (inout AuthApp) -> Void

    private static func changes(_ arguments: JSONValue) throws(Failure) -> [Change] {
        var changes: [Change] = []
        if let isOn = try flag("anonymous", arguments) { changes.append { $0.isAnonymousEnabled = isOn } }
        if let isOn = try flag("apiKeys", arguments) { changes.append { $0.isAPIKeyEnabled = isOn } }
        if let text = arguments["email"]?.string {
            if text == "off" {
                changes.append { $0.emailPassword = nil }
            } else if let confirmation = EmailPasswordSettings.Confirmation(rawValue: text) {
                changes.append { $0.emailPassword = EmailPasswordSettings(confirmation: confirmation) }
            } else {
                throw Failure("\"email\" is off, automatic, or mail")
            }
        }
        if let token = try tokens(arguments) { changes.append { $0.customToken = token } }
        if arguments["jwt"]?.string == "off" { changes.append { $0.customToken = nil } }
        guard !changes.isEmpty else { throw Failure("nothing is to be set") }
        return changes
    }

    private static func tokens(_ arguments: JSONValue) throws(Failure) -> CustomTokenSettings? {
        var settings: CustomTokenSettings
        switch (arguments["jwtSecret"]?.string, arguments["jwtKey"]?.string, arguments["jwksURL"]?.string) {
        case (let secret?, nil, nil): settings = CustomTokenSettings(algorithm: .hs256, keys: [secret])
        case (nil, let key?, nil): settings = CustomTokenSettings(algorithm: .rs256, keys: [key])
        case (nil, nil, let url?):
            settings = CustomTokenSettings(algorithm: .rs256, keys: [])
            settings.keySetURL = url
        case (nil, nil, nil): return nil
        default: throw Failure("tokens are checked with a secret, a key, or published keys: name one of these")
        }
        if let audience = arguments["jwtAudience"]?.string { settings.audiences = [audience] }
        return settings
    }

    private static func flag(_ name: String, _ arguments: JSONValue) throws(Failure) -> Bool? {
        switch arguments[name]?.string {
        case nil: nil
        case "on": true
        case "off": false
        default: throw Failure("\"\(name)\" is on or off")
        }
    }
}
