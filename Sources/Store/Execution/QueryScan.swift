import Dispatch
import Model

/// Runs a condition over the clusters of a table.
struct QueryScan {
    let table: Table
    let node: any ScanNode
    /// Objects that an index found, ascending; the others need not be looked at.
    let candidates: [ObjectKey]?

    /// Rows from which on a scan is shared by two threads: less isn't worth waking one.
    static let sharedScanRows = 200_000
    static let shares = 2

    init(_ table: Table, _ node: any ScanNode, candidates: [ObjectKey]? = nil) {
        self.table = table
        self.node = node
        self.candidates = candidates
    }

    /// Whether several threads work on it where the whole table is looked at.
    var isShared: Bool { candidates == nil && table.count >= QueryScan.sharedScanRows }

    /// Calls `body` for clusters in order with the selected rows, until it returns false.
    func eachCluster(_ body: (Cluster, UnsafeSelection) -> Bool) {
        if let candidates { return eachCandidateCluster(candidates, body) }
        eachCluster(0..<table.clusterCount, body)
    }

    private func eachCluster(_ positions: Range<Int>, _ body: (Cluster, UnsafeSelection) -> Bool) {
        for position in positions {
            let cluster = table.cluster(at: position)
            let goesOn = UnsafeSelection.with(cluster.count) { selection in
                node.select(cluster, selection, candidates: nil)
                return body(cluster, selection)
            }
            if !goesOn { return }
        }
    }

    private func eachCandidateCluster(_ candidates: [ObjectKey], _ body: (Cluster, UnsafeSelection) -> Bool) {
        var next = 0
        while next < candidates.count {
            guard let (cluster, _) = table.locate(candidates[next]) else {
                next += 1
                continue
            }
            let goesOn = UnsafeSelection.with(cluster.count) { wanted in
                wanted.fill(false)
                while next < candidates.count, let row = cluster.row(of: candidates[next]) {
                    wanted[row] = true
                    next += 1
                }
                return UnsafeSelection.with(cluster.count) { selection in
                    node.select(cluster, selection, candidates: wanted)
                    selection.formIntersection(wanted)
                    return body(cluster, selection)
                }
            }
            if !goesOn { return }
        }
    }

    /// Calls `body` with each key, ascending.
    func eachKey(_ body: (ObjectKey) -> Void) {
        eachCluster { cluster, selection in
            selection.eachSelected { row in
                body(cluster.key(at: row))
                return true
            }
        }
    }

    /// Evaluates parts of the table, on several threads if it is large, and hands over their results in order.
    func shared<Part: Sendable>(
        _ start: Part, _ add: @Sendable @escaping (inout Part, Cluster, UnsafeSelection) -> Void
    ) -> [Part] {
        guard isShared else {
            var part = start
            eachCluster { cluster, selection in
                add(&part, cluster, selection)
                return true
            }
            return [part]
        }
        let clusters = table.clusterCount
        let parts = Lock([Part?](repeating: nil, count: QueryScan.shares))
        let scan = UncheckedScan(scan: self)
        DispatchQueue.concurrentPerform(iterations: QueryScan.shares) { share in
            var part = start
            let positions = (clusters * share / QueryScan.shares)..<(clusters * (share + 1) / QueryScan.shares)
            scan.scan.eachCluster(positions) { cluster, selection in
                add(&part, cluster, selection)
                return true
            }
            parts.withLock { $0[share] = part }
        }
        return parts.withLock { $0.compactMap { $0 } }
    }
}

/// Scan nodes don't change once made, tables lock what they keep.
private struct UncheckedScan: @unchecked Sendable {
    let scan: QueryScan
}
