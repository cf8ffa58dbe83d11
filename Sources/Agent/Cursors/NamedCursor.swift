import Foundation
import Model
import Store
import Wire

/// What a query's result was when somebody last dealt with it: which objects, and a digest of each. Holds no version of
/// the file: the next difference is taken from these alone.
struct NamedCursor: Hashable, Sendable {
    struct Match: Hashable, Sendable {
        var key: ObjectKey
        var digest: ContentDigest
        /// `$key`, and the primary key if there is one.
        var identity: BSONDocument
    }

    /// Path of the realm.
    var path: String
    var name: String
    /// The query, as the client sent it.
    var query: BSONDocument
    var version: UInt64
    /// In the order of their keys.
    var matches: [Match]

    /// Matches that a cursor may have: all of them are in one reply.
    static let limit = 1 << 18

    /// How the result has changed since `former`, nil being nothing at all. An object that changed and changed back
    /// hasn't changed; one that was deleted and made anew under its key and primary key may have been modified.
    func changes(since former: NamedCursor?) -> (
        insertions: [ObjectKey], modifications: [ObjectKey], deletions: [BSONDocument]
    ) {
        var before: [ObjectKey: Match] = [:]
        for match in former?.matches ?? [] { before[match.key] = match }
        var (insertions, modifications): ([ObjectKey], [ObjectKey]) = ([], [])
        var replaced: [BSONDocument] = []
        for match in matches {
            guard let known = before.removeValue(forKey: match.key) else {
                insertions.append(match.key)
                continue
            }
            if known.identity != match.identity {
                // Another file under the same path may give keys anew.
                replaced.append(known.identity)
                insertions.append(match.key)
            } else if known.digest != match.digest {
                modifications.append(match.key)
            }
        }
        let gone = before.values.sorted { $0.key < $1.key }.map(\.identity)
        return (insertions, modifications, replaced + gone)
    }
}

// MARK: - As it is kept
extension NamedCursor {
    /// Readers refuse what they don't know.
    private static let format: Int32 = 1

    /// Why a document is no cursor.
    struct Damage: Error, CustomStringConvertible {
        let description: String
    }

    init(_ document: BSONDocument) throws {
        guard case .int32(let format)? = document["format"] else { throw Damage(description: "no format") }
        guard format == Self.format else { throw Damage(description: "format \(format), not \(Self.format)") }
        guard case .string(let path)? = document["path"], case .string(let name)? = document["cursor"],
            case .document(let query)? = document["query"], case .int64(let version)? = document["version"],
            case .array(let identities)? = document["matches"], case .binary(_, let data)? = document["digests"]
        else { throw Damage(description: "a field is missing") }
        let digests = Array(data)
        guard digests.count == identities.count * ContentDigest.size else {
            throw Damage(description: "\(digests.count) bytes of digests for \(identities.count) objects")
        }
        var matches: [Match] = []
        for (index, identity) in identities.enumerated() {
            guard case .document(let identity) = identity, case .int64(let key)? = identity["$key"] else {
                throw Damage(description: "object \(index) has no $key")
            }
            matches.append(
                Match(key: ObjectKey(key), digest: ContentDigest(digests, at: index), identity: identity))
        }
        self.init(
            path: path, name: name, query: query, version: UInt64(bitPattern: version), matches: matches)
    }

    var document: BSONDocument {
        [
            "format": .int32(Self.format), "path": .string(path), "cursor": .string(name), "query": .document(query),
            "version": .int64(Int64(bitPattern: version)), "matches": .array(matches.map { .document($0.identity) }),
            "digests": .binary(subtype: 0, Data(matches.flatMap(\.digest.bytes)))
        ]
    }
}

extension NamedCursor {
    /// What a query finds in a snapshot.
    init(path: String, name: String, request: QueryRequest, in snapshot: Snapshot) throws {
        let query = try request.classQuery(in: snapshot.schema)
        let keys = try snapshot.objects(query, among: request.keys)
        guard keys.count <= Self.limit else {
            throw WireError(
                .outOfResources, "\(keys.count) objects match; a cursor keeps at most \(Self.limit): narrow the query",
                facts: ["limit": .int32(Int32(Self.limit))])
        }
        guard let table = snapshot.table(named: query.className) else {
            throw WireError(.unknownClass, "the realm has no class \(query.className)")
        }
        let objects = try ObjectWriter(table, properties: nil)
        let writer = BSONWriter()
        var matches: [Match] = []
        matches.reserveCapacity(keys.count)
        for key in keys.sorted() {
            writer.reset()
            objects.write(key, as: "object", to: writer)
            let digest = try writer.withBytes { ContentDigest($0) }
            writer.reset()
            objects.writeIdentity(key, as: "identity", to: writer)
            let named = try BSONDocument(bytes: try writer.finish())
            guard case .document(let identity)? = named["identity"] else { continue }
            matches.append(Match(key: key, digest: digest, identity: identity))
        }
        try snapshot.checkIntact()
        let text = BSONWriter()
        request.write(to: text)
        self.init(
            path: path, name: name, query: try BSONDocument(bytes: try text.finish()), version: snapshot.version,
            matches: matches)
    }
}
