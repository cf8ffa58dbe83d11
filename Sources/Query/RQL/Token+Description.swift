extension RQLParser {
    /// A token as an error message shows it.
    static func described(_ kind: Token.Kind) -> String {
        switch kind {
        case .symbol(let symbol): "'\(symbol.rawValue)'"
        case .keyword(_, let text): "'\(text)'"
        case .at(let word): "'@\(word.rawValue)'"
        case .identifier(let name): "'\(name)'"
        case .argument(let index): "'$\(index)'"
        case .keyPathArgument(let index): "'$K\(index)'"
        case .string: "a string"
        case .base64: "a base64 string"
        case .natural(let text), .number(let text), .float(let text): "'\(text)'"
        case .infinity, .nan: "a number"
        case .uuid: "a UUID"
        case .objectId: "an ObjectId"
        case .timestamp, .ancientDate: "a date"
        case .objectKey: "an object key"
        case .modifiers: "a string modifier"
        case .end: "the end of the query"
        }
    }
}
