import History

/// What makes an app one of flexible sync.
package struct FlexibleSettings: Hashable, Sendable, Codable {
    /// Who may do what, as JSON (`FlexibleConfiguration`); empty: everybody everything, while the app is developed.
    package var permissions: String

    /// Throws if the permissions can't be read.
    package init(permissions: String = "") throws(ConfigurationError) {
        self.permissions = permissions
        _ = try FlexibleSettings.configuration(permissions)
    }

    package var configuration: FlexibleConfiguration {
        // It was read before it was stored. If it can't be any more, nobody may do anything.
        (try? FlexibleSettings.configuration(permissions)) ?? .closed
    }

    private static func configuration(_ text: String) throws(ConfigurationError) -> FlexibleConfiguration {
        text.isEmpty ? FlexibleConfiguration() : try FlexibleConfiguration(json: Array(text.utf8))
    }
}
