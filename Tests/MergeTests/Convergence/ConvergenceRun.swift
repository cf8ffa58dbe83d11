import Merge
import Model
import TestSupport

/// A simulated system with a server and some clients, driven by a list of actions. The same actions give the same run,
/// and a part of the list is a run too: so a failure can be made smaller.
struct ConvergenceRun {
    enum Action: CustomStringConvertible {
        /// A client commits so many changes; its clock is off.
        case write(client: Int, changes: Int, skew: Int64, seed: UInt64)
        /// A client sends some of what it has to send. The server gets it; the client may not learn of it.
        case upload(client: Int, count: Int)
        /// A client gets some of what it doesn't have; if the connection breaks, it gets it and loses it.
        case download(client: Int, count: Int, isLost: Bool)
        case restart(client: Int)
        case trim

        var description: String {
            switch self {
            case .write(let client, let changes, let skew, let seed):
                "client \(client) commits \(changes) changes of seed \(seed), its clock off by \(skew)"
            case .upload(let client, let count): "client \(client) uploads \(count)"
            case .download(let client, let count, let isLost):
                "client \(client) downloads \(count)\(isLost ? " and loses them" : "")"
            case .restart(let client): "client \(client) restarts"
            case .trim: "the server trims its history"
            }
        }
    }

    var clientCount: Int
    var focus: Set<String>
    var keys: Int
    var actions: [Action]

    /// A random run.
    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
        clientCount = 2 + roll(4)
        // Half of the runs are about a single property of a single object.
        let isNarrow = roll(2) == 0
        keys = isNarrow ? 1 : 1 + roll(3)
        let properties = isNarrow ? TestSchema.intricateProperties : TestSchema.itemProperties
        focus = Set((0..<(isNarrow ? 1 : 1 + roll(4))).map { _ in properties[roll(properties.count)] })
        let clients = clientCount
        actions = (0..<8 + roll(25)).map { _ in
            let client = roll(clients)
            switch roll(10) {
            case 0...4:
                let skew = [0, 0, -1_000, 1_000, -100_000, Int64(roll(200)) - 100][roll(6)]
                return .write(client: client, changes: 1 + roll(5), skew: skew, seed: generator.next())
            case 5, 6: return .upload(client: client, count: 1 + roll(4))
            case 7, 8: return .download(client: client, count: 1 + roll(4), isLost: roll(5) == 0)
            default: return roll(3) == 0 ? .trim : .restart(client: client)
            }
        }
    }

    /// What went wrong; nil if all replicas end in the same state.
    func failure() -> String? {
        do {
            var system = try SimulatedSystem(self)
            for action in actions { try system.perform(action) }
            try system.settle()
            return system.difference
        } catch {
            return "\(error)"
        }
    }

    /// A run that fails as well, with as few actions as can be found by leaving some out.
    func shrunk() -> ConvergenceRun {
        var best = self
        var length = max(1, actions.count / 2)
        while true {
            var isShorter = false
            var start = 0
            while start < best.actions.count {
                var candidate = best
                candidate.actions.removeSubrange(start..<min(start + length, best.actions.count))
                if candidate.failure() != nil {
                    best = candidate
                    isShorter = true
                } else {
                    start += length
                }
            }
            for place in best.actions.indices {
                guard case .write(let client, let changes, let skew, let seed) = best.actions[place] else { continue }
                for fewer in 1..<max(changes, 1) {
                    var candidate = best
                    candidate.actions[place] = .write(client: client, changes: fewer, skew: skew, seed: seed)
                    guard candidate.failure() != nil else { continue }
                    best = candidate
                    isShorter = true
                    break
                }
            }
            if length == 1, !isShorter { return best }
            length = max(1, length / 2)
        }
    }

    /// The actions with what each commit wrote, and what went wrong.
    var story: String {
        var lines = ["\(clientCount) clients, \(focus.sorted()), at most \(keys) objects"]
        if var system = try? SimulatedSystem(self) {
            for action in actions {
                lines.append("\(action)")
                do { lines += try system.perform(action).map { "    \($0.summary)" } } catch {
                    lines.append("    \(error)")
                }
            }
        }
        lines.append(failure() ?? "nothing went wrong")
        return lines.joined(separator: "\n")
    }
}
