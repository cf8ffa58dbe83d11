import Foundation
import Wire

/// Objects of a JSON file.
enum JSONSource {
    /// Reads an array of objects, one object a line, or with `at` the array under that name. The file may be a pipe; `-`
    /// is standard input.
    static func objects(file: String, at name: String?) throws -> [[String: Any]] {
        let data = try contents(of: file)
        let whole = Result { try JSONSerialization.jsonObject(with: data) }
        if let name {
            guard let object = try parsed(whole, data, file) as? [String: Any], let array = object[name] else {
                throw failure(file, "is not a JSON object with a member \"\(name)\"")
            }
            return try elements(array, file)
        }
        if case .success(let value) = whole {
            if let object = value as? [String: Any] { return [object] }
            return try elements(value, file)
        }
        // The first character that isn't white space tells what it was meant to be.
        if data.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "[") {
            return try elements(try parsed(whole, data, file), file)
        }
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
        var objects: [[String: Any]] = []
        var start = data.startIndex
        while start < data.endIndex {
            let end = data[start...].firstIndex(of: 0x0A) ?? data.endIndex
            let line = data[start..<end]
            if !line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) {
                let value: Any
                do {
                    value = try JSONSerialization.jsonObject(with: Data(line))
                } catch {
                    throw fault(error, file, in: data, from: start, to: end)
                }
                guard let object = value as? [String: Any] else {
                    let number = JSONPosition(start, in: data).line
                    throw failure(
                        file, "is neither a JSON array nor JSON lines: line \(number) is not an object")
                }
                objects.append(object)
            }
            start = min(end + 1, data.endIndex)
        }
        return objects
    }

    private static func parsed(_ outcome: Result<Any, any Error>, _ data: Data, _ file: String) throws -> Any {
        do {
            return try outcome.get()
        } catch {
            throw fault(error, file, in: data, from: data.startIndex, to: data.endIndex)
        }
    }

    /// Says what is wrong and where. `start` and `end`: what was parsed.
    private static func fault(_ error: any Error, _ file: String, in data: Data, from start: Int, to end: Int)
        -> WireError
    {
        let said = (error as NSError).userInfo["NSDebugDescription"] as? String ?? "it can't be parsed"
        // "Invalid value around character 21.", "Unexpected end of file during JSON parse."
        let number = said.split(whereSeparator: { !$0.isASCII || !$0.isNumber }).last.flatMap { Int($0) }
        let offset = min(number.map { start + $0 } ?? end, end)
        let what = said.firstMatch(of: #/ (around|during|starting) /#).map { said[..<$0.range.lowerBound] } ?? said[...]
        let position = JSONPosition(offset, in: data)
        return WireError(
            .badParams,
            "\(file) can't be read as JSON: \(what.lowercased()) at line \(position.line), column \(position.column) "
                + "(byte \(offset - data.startIndex))",
            facts: [
                "path": .string(file), "line": .int64(Int64(position.line)),
                "offset": .int64(Int64(offset - data.startIndex))
            ])
    }

    /// Reads a file to its end, whatever kind of file it is.
    private static func contents(of file: String) throws(WireError) -> Data {
        let descriptor = file == "-" ? 0 : open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(file) }
        defer { if descriptor != 0 { close(descriptor) } }
        var status = stat()
        var data = Data()
        if fstat(descriptor, &status) == 0, status.st_size > 0 { data.reserveCapacity(Int(status.st_size)) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 {
                data.append(contentsOf: buffer[..<count])
            } else if count == 0 {
                return data
            } else if errno != EINTR {
                throw unreadable(file)
            }
        }
    }

    private static func unreadable(_ file: String) -> WireError {
        let code = errno
        let name = file == "-" ? "standard input" : file
        return WireError(
            WireError.Code(systemCode: code), "\(name) can't be read: \(String(cString: strerror(code)))",
            facts: ["path": .string(file), "errno": .int32(code)])
    }

    private static func failure(_ file: String, _ what: String) -> WireError {
        WireError(.badParams, "\(file) \(what)", facts: ["path": .string(file)])
    }
}

/// Where a byte of a text is, as editors count.
struct JSONPosition: Hashable {
    var line: Int
    /// Characters from the line's beginning, plus one.
    var column: Int

    init(_ offset: Int, in data: Data) {
        let before = data[data.startIndex..<min(offset, data.endIndex)]
        line = before.count(where: { $0 == 0x0A }) + 1
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? before.startIndex
        // Bytes that go on with a character don't count.
        column = before[start...].count(where: { $0 & 0xC0 != 0x80 }) + 1
    }
}
