/// The version of this program.
package enum AgentVersion {
    package static let current = "0.1.0"
}
