import Model

/// Shapes.
extension RQLParser {
    /// The right side of GEOWITHIN: a shape, or an argument that holds one or its text.
    mutating func parseGeoOperand() throws(QueryError) -> Operand {
        guard case .argument(let index) = token.kind else { return .geo(try parseShape()) }
        let token = token
        advance()
        switch argument(index, at: token) {
        case .geo(let shape): return .geo(shape)
        case .value(.string(let text)):
            do {
                return .geo(try RQLParser.shape(text))
            } catch {
                postpone(.argument, "$\(index) is no shape: \(error.message)", at: token)
            }
        default:
            postpone(.argument, "$\(index) is no shape", at: token)
        }
        return .geo(.circle(center: GeoPoint(longitude: 0, latitude: 0), radius: 0))
    }

    /// Reads a shape alone.
    static func shape(_ text: String) throws(QueryError) -> GeoShape {
        var tokenizer = Tokenizer(text)
        var parser = RQLParser(tokens: try tokenizer.tokenize(), arguments: [], extensions: [])
        let shape = try parser.parseShape()
        guard parser.token.kind == .end else { throw parser.unexpected("the end of the shape") }
        if let deferred = parser.deferred { throw deferred }
        return shape
    }

    private mutating func parseShape() throws(QueryError) -> GeoShape {
        let keyword = keyword
        guard keyword == .geoBox || keyword == .geoCircle || keyword == .geoPolygon else {
            throw unexpected("geoBox, geoCircle or geoPolygon")
        }
        advance()
        try expect(.leftParenthesis)
        let shape: GeoShape
        switch keyword {
        case .geoBox:
            let corner = try parsePoint()
            try expect(.comma)
            shape = .box(corner, try parsePoint())
        case .geoCircle:
            let center = try parsePoint()
            try expect(.comma)
            shape = .circle(center: center, radius: try parseCoordinate())
        default:
            var rings: [[GeoPoint]] = []
            repeat { rings.append(try parseRing()) } while accept(.comma)
            shape = .polygon(rings)
        }
        try expect(.rightParenthesis)
        return shape
    }

    private mutating func parseRing() throws(QueryError) -> [GeoPoint] {
        try expect(.leftBrace)
        var points: [GeoPoint] = []
        repeat { points.append(try parsePoint()) } while accept(.comma)
        try expect(.rightBrace)
        return points
    }

    private mutating func parsePoint() throws(QueryError) -> GeoPoint {
        try expect(.leftBracket)
        let longitude = try parseCoordinate()
        try expect(.comma)
        let latitude = try parseCoordinate()
        // An altitude is accepted and ignored.
        if accept(.comma) { _ = try parseCoordinate() }
        try expect(.rightBracket)
        return GeoPoint(longitude: longitude, latitude: latitude)
    }

    private mutating func parseCoordinate() throws(QueryError) -> Double {
        let token = token
        switch token.kind {
        case .natural(let text), .number(let text):
            advance()
            return Double(IntegerLiteral.value(of: text))
        case .float(let text):
            advance()
            return Double(text.hasSuffix("f") ? String(text.dropLast()) : text) ?? .nan
        case .argument(let index):
            advance()
            switch scalarArgument(index, at: token).value {
            case .int(let value): return Double(value)
            case .float(let value): return Double(value)
            case .double(let value): return value
            default:
                postpone(.argument, "$\(index) is no coordinate", at: token)
                return 0
            }
        default:
            throw unexpected("a coordinate")
        }
    }
}
