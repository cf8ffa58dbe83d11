extension AgentOptions {
    /// Takes what an administrator may set in the agent's environment (`reeve(1)`, "Environment").
    mutating func apply(environment: [String: String]) {
        func number(_ name: String, _ range: ClosedRange<Int64>) -> Int64? {
            environment[name].flatMap { Int64($0) }.flatMap { range.contains($0) ? $0 : nil }
        }
        if let value = number("REEVE_WRITE_STALL_MS", 10...86_400_000) { limits.writeStallMilliseconds = value }
        if let value = number("REEVE_SLOW_READER_S", 1...86_400) { slowReaderSeconds = Int(value) }
        if let value = number("REEVE_CONNECTIONS", 1...65_536) { connectionLimit = Int(value) }
        if let value = number("REEVE_COMPACTION_FLOOR", 0...(1 << 50)) { compactionFloor = value }
        if let value = number("REEVE_TRANSACTION_LIMIT", 1024...(1 << 40)) { transactionLimit = Int(value) }
        if let value = number("REEVE_QUEUE_LIMIT", 1024...(1 << 40)) { queueLimit = Int(value) }
        if let value = number("REEVE_SNAPSHOTS", 16...3_584) { snapshotLimit = Int(value) }
        data = data ?? DataDirectory.path(environment: environment)
        if let path = environment["REEVE_CA_FILE"], path.hasPrefix("/") { certificateAuthorities = path }
        if let value = number("REEVE_DRAIN_S", 0...86_400) { drainSeconds = Int(value) }
    }
}
