import Foundation
import Wire

/// Objects of a JSON file.
enum JSONSource {
    /// Reads an array of objects, one object a line, or with `at` the array under that name. `-` is standard input.
    static func objects(file: String, at name: String?) throws -> [[String: Any]] {
        let data: Data
        if file == "-" {
            data = FileHandle.standardInput.readDataToEndOfFile()
        } else {
            do {
                data = try Data(contentsOf: URL(fileURLWithPath: file))
            } catch {
                throw WireError(.fileNotFound, "\(file) can't be read: \(error.localizedDescription)")
            }
        }
        if let name {
            guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any], let array = object[name]
            else { throw failure(file, "is not a JSON object with a member \"\(name)\"") }
            return try elements(array, file)
        }
        if let array = try? JSONSerialization.jsonObject(with: data) as? [Any] { return try elements(array, file) }
        return try lines(data, file)
    }

    private static func elements(_ value: Any, _ file: String) throws -> [[String: Any]] {
        guard let array = value as? [Any] else { throw failure(file, "has no array there") }
        return try array.enumerated().map { index, element in
            guard let object = element as? [String: Any] else {
                throw failure(file, "has something other than an object at position \(index + 1)")
            }
            return object
        }
    }

    private static func lines(_ data: Data, _ file: String) throws -> [[String: Any]] {
        try data.split(separator: 10).enumerated().compactMap { index, line in
            if line.allSatisfy({ $0 == 32 || $0 == 9 || $0 == 13 }) { return nil }
            guard let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] else {
                throw failure(file, "is neither a JSON array nor JSON lines: line \(index + 1) is not an object")
            }
            return object
        }
    }

    private static func failure(_ file: String, _ what: String) -> WireError {
        WireError(.badParams, "\(file) \(what)", facts: ["path": .string(file)])
    }
}
