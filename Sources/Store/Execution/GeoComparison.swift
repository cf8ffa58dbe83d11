import Model
import Query

/// Whether the points that a path leads to lie in a shape.
struct GeoComparison {
    private let path: ResolvedPath
    private let quantifier: Quantifier
    private let region: GeoRegion
    private let type: StoredColumn
    private let coordinates: StoredColumn
    private let walker: PathWalker

    init(_ path: ResolvedPath, _ quantifier: Quantifier?, _ region: GeoRegion, _ walker: PathWalker) throws {
        var path = path
        if case .entry(let column, let name) = path.end,
            let target = column.property.target.flatMap({ walker.snapshot.schema.table(named: $0) })
        {
            path.steps.append(.entry(column, name))
            path.tables.append(target)
            path.end = .object
        }
        guard case .object = path.end, let type = path.endTable.column(named: "type"), type.property.type == .string,
            let coordinates = path.endTable.column(named: "coordinates"), coordinates.property.type == .double,
            coordinates.property.collection == .list
        else { throw StoreError(.badQuery, "GEOWITHIN needs objects with 'type' and 'coordinates'") }
        self.path = path
        self.quantifier = quantifier ?? .any
        self.region = region
        self.type = type
        self.coordinates = coordinates
        self.walker = walker
    }

    func holds(_ row: RowReference) -> Bool {
        quantifier.holds(for: walker.objects(path, from: row) ?? []) { object in
            point(of: object).map { region.contains($0) } ?? false
        }
    }

    /// Longitude and latitude; altitude is ignored. Nil if the object is no point.
    private func point(of object: RowReference) -> GeoPoint? {
        guard let name = object.cluster.scalar(object.row, type).bytes,
            name.elementsEqual("point".utf8, by: { $0 | 0x20 == $1 })
        else { return nil }
        let numbers = object.table.list(object.key, coordinates)
        guard numbers.count >= 2, case .double(let longitude) = numbers.scalar(at: 0),
            case .double(let latitude) = numbers.scalar(at: 1)
        else { return nil }
        return GeoPoint(longitude: longitude, latitude: latitude)
    }
}
