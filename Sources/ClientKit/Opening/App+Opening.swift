extension App {
    /// The apps that this process has named.
    package static var known: [App] { Array(all.values) }
}
