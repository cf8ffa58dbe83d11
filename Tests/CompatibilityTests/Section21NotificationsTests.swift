import Dispatch
import Foundation
import RealmSwift
import TestSupport
import Testing

final class ChainLink: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var rank: Int
    @Persisted var next: ChainLink?
    @Persisted var links: List<ChainLink>
    @Persisted var any: AnyRealmValue
}

/// Section 21: what observers are told.
@Suite("Section 21: notifications")
struct Section21NotificationsTests {
    /// A realm with links 0 to 6, each of which leads to the next and the last to the first; observed on a queue.
    private final class Chain: @unchecked Sendable {
        let directory = TemporaryDirectory()
        let queue = DispatchQueue(label: "chain")
        let log = Log()
        private let configuration: Realm.Configuration
        // Only used on `queue`.
        private var tokens: [NotificationToken] = []

        init() throws {
            SharedAgent.ensure()
            configuration = Realm.Configuration(
                fileURL: URL(fileURLWithPath: directory.path("chain.realm")), objectTypes: [ChainLink.self])
            let realm = try Realm(configuration: configuration)
            try realm.write {
                let links = (0..<7).map { realm.create(ChainLink.self, value: ["id": $0, "rank": $0]) }
                for link in links { link.next = links[(link.id + 1) % 7] }
            }
        }

        func write(_ body: (Realm, Results<ChainLink>) -> Void) throws {
            let realm = try Realm(configuration: configuration)
            try realm.write { body(realm, realm.objects(ChainLink.self)) }
        }

        func observe(_ begin: (Realm, Log) -> NotificationToken) throws {
            try queue.sync { tokens.append(begin(try Realm(configuration: configuration, queue: queue), log)) }
            #expect(eventually { !log.all.isEmpty })
        }

        func observeCollection<C: RealmCollection>(_ collection: (Realm) -> C) throws {
            try observe { realm, log in
                collection(realm).observe { change in
                    switch change {
                    case .initial: log.add("initial")
                    case .update(_, let deletions, let insertions, let modifications):
                        log.add("-\(deletions) +\(insertions) ~\(modifications)")
                    case .error(let error): log.add("\(error)")
                    }
                }
            }
        }

        func end() { queue.sync { tokens = [] } }
    }

    @Test("NO-06, LM-04: links of a cycle are followed four steps, in a whole class and in a part of it")
    func depth() throws {
        for isWhole in [true, false] {
            let chain = try Chain()
            try chain.observeCollection { realm in
                let links = realm.objects(ChainLink.self)
                return isWhole ? links : links.where { $0.rank < 100 }
            }
            try chain.write { _, links in links[5].rank = 50 }
            #expect(eventually { chain.log.last == "-[] +[] ~[1, 2, 3, 4, 5]" }, "\(chain.log.all)")
            try chain.write { realm, links in
                realm.create(ChainLink.self, value: ["id": 9, "next": links[5]] as [String: Any])
                realm.delete(links[0])
            }
            // The last one's link to the first is nil now.
            #expect(eventually { chain.log.last == "-[0] +[6] ~[1, 2, 3, 4, 5]" }, "\(chain.log.all)")
            chain.end()
        }
    }

    @Test("NO-03: in a part of a list an element that is replaced goes, and another comes") func replaced() throws {
        let chain = try Chain()
        try chain.write { _, links in links[0].links.append(objectsIn: links[1...3]) }
        try chain.observeCollection { realm in realm.objects(ChainLink.self)[0].links.where { $0.rank != 77 } }
        try chain.write { _, links in links[0].links[1] = links[6] }
        // From the third it is four steps to the one that has the list.
        #expect(eventually { chain.log.last == "-[1] +[1] ~[2]" }, "\(chain.log.all)")
        chain.end()
    }

    @Test("NO-05: an object in a mixed property before and after a change") func mixedChange() throws {
        let chain = try Chain()
        try chain.write { _, links in links[0].any = .object(links[1]) }
        chain.log.add("before")
        try chain.observe { realm, log in
            realm.objects(ChainLink.self)[0].observe { (change: ObjectChange<ChainLink>) in
                guard case .change(_, let properties) = change else { return log.add("other") }
                let texts = properties.map { property in
                    let old = (property.oldValue as? AnyRealmValue)?.object(ChainLink.self)?.id
                    let new = (property.newValue as? AnyRealmValue)?.object(ChainLink.self)?.id
                    return "\(property.name) \(old ?? -1) \(new ?? -1)"
                }
                log.add(texts.joined(separator: ","))
            }
        }
        try chain.write { _, links in links[0].any = .object(links[2]) }
        #expect(eventually { chain.log.last == "any 1 2" }, "\(chain.log.all)")
        try chain.write { _, links in links[0].any = .int(3) }
        #expect(eventually { chain.log.last == "any 2 -1" }, "\(chain.log.all)")
        chain.end()
    }
}
