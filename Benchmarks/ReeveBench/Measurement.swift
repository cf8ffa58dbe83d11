import Foundation

/// One figure beside the figure that it is judged against, both from the same run.
struct Measurement: Codable {
    let name: String
    let value: Double
    let unit: String
    let peer: String
    let peerValue: Double
    /// How many times better than the peer (rates, times) or how large a share of it (latencies, sizes); see `goal`.
    let ratio: Double
    /// Such as `>= 2` or `<= 1.5`.
    let goal: String
    let met: Bool

    /// Names in `bench.json`.
    private enum CodingKeys: String, CodingKey {
        case name, value, unit, peer, ratio, goal, met
        case peerValue = "peer_value"
    }

    /// A rate or speed that has to be at least `goal` times the peer's; both values in `unit` where more is better.
    static func atLeast(
        _ goal: Double, _ name: String, _ value: Double, _ unit: String, peer: String, _ peerValue: Double
    )
        -> Measurement
    {
        let ratio = peerValue == 0 ? 0 : value / peerValue
        return Measurement(
            name: name, value: value, unit: unit, peer: peer, peerValue: peerValue, ratio: ratio, goal: ">= \(goal)",
            met: ratio >= goal)
    }

    /// A time: at least `goal` times faster than the peer; both values in `unit` where less is better.
    static func fasterBy(
        _ goal: Double, _ name: String, _ value: Double, _ unit: String, peer: String, _ peerValue: Double
    )
        -> Measurement
    {
        let ratio = value == 0 ? 0 : peerValue / value
        return Measurement(
            name: name, value: value, unit: unit, peer: peer, peerValue: peerValue, ratio: ratio, goal: ">= \(goal)",
            met: ratio >= goal)
    }

    /// A time or size that may be at most `goal` times the peer's.
    static func atMost(
        _ goal: Double, _ name: String, _ value: Double, _ unit: String, peer: String, _ peerValue: Double
    )
        -> Measurement
    {
        let ratio = peerValue == 0 ? 0 : value / peerValue
        return Measurement(
            name: name, value: value, unit: unit, peer: peer, peerValue: peerValue, ratio: ratio, goal: "<= \(goal)",
            met: ratio <= goal)
    }
}

/// The middle value.
func median(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.sorted()[values.count / 2]
}

/// Nanoseconds of a monotonic clock.
func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Median time of `repeats` runs, in milliseconds.
func milliseconds(repeats: Int, _ body: () throws -> Void) rethrows -> Double {
    var times: [Double] = []
    for _ in 0..<repeats {
        let start = now()
        try body()
        times.append(Double(now() - start) / 1e6)
    }
    return median(times)
}

/// Prints the figures as a table.
func printTable(_ measurements: [Measurement]) {
    func number(_ value: Double) -> String {
        value >= 1000
            ? String(format: "%.0f", value)
            : value >= 10 ? String(format: "%.1f", value) : String(format: "%.2f", value)
    }
    let rows =
        [["what", "here", "unit", "peer", "there", "ratio", "goal", ""]]
        + measurements.map {
            [
                $0.name, number($0.value), $0.unit, $0.peer, number($0.peerValue), number($0.ratio), $0.goal,
                $0.met ? "met" : "MISSED"
            ]
        }
    let widths = (0..<8).map { column in rows.map { $0[column].count }.max() ?? 0 }
    for row in rows {
        let cells = row.enumerated().map { column, cell in
            let padding = String(repeating: " ", count: widths[column] - cell.count)
            return [1, 4, 5].contains(column) ? padding + cell : cell + padding
        }
        print(cells.joined(separator: "  "))
    }
}
