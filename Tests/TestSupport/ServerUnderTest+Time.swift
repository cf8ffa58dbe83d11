import Foundation

extension ServerUnderTest {
    /// Compacts what the server, which doesn't run any more, keeps of its only partition, as if days had passed since then
    /// without a word of any device. Returns by how many bytes the history became shorter.
    package func trim(afterDays days: Int, offlineDays: Int = 1) throws -> Int {
        let apps = URL(fileURLWithPath: directory.path + "/data/apps")
        let files = FileManager.default.enumerator(at: apps, includingPropertiesForKeys: nil)
        let realms = (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "realm" }
        guard realms.count == 1 else { throw TestFailure("the server has \(realms)") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: AgentUnderTest.binary).deletingLastPathComponent()
            .appendingPathComponent("history-child")
        process.arguments = ["trim", realms[0].path, "\(days)", "\(offlineDays)"]
        let pipe = Pipe()
        process.standardOutput = pipe
        let output = OutputCollector(pipe)
        try process.run()
        process.waitUntilExit()
        while !output.isComplete { usleep(1000) }
        let text = output.text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard process.terminationStatus == 0, let bytes = Int(text) else {
            throw TestFailure("the history wasn't trimmed: \(text)")
        }
        return bytes
    }
}
