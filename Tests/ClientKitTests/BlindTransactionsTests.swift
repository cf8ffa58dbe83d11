import Foundation
import Model
import RealmSwift
import TestSupport
import Testing
import Wire

@testable import ClientKit

class BlindTeam: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var leader: BlindMember?
    @Persisted var members: List<BlindMember>
    @Persisted var tags: List<String>

    convenience init(_ id: Int, _ name: String) {
        self.init()
        self.id = id
        self.name = name
    }
}

class BlindMember: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted(originProperty: "members") var teams: LinkingObjects<BlindTeam>

    convenience init(_ id: Int, _ name: String) {
        self.init()
        self.id = id
        self.name = name
    }
}

class BlindNote: Object {
    @Persisted var text: String
}

/// Adding one needs the lock in the middle: what it links to has no primary key.
class BlindClub: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var names: List<String>
    @Persisted var note: BlindNote?
    @Persisted var tags: List<String>
}

/// A realm of teams, and another client that writes it beneath this process.
private struct TeamRealm {
    let directory = TemporaryDirectory()
    let realm: Realm
    private let wire: BlockingClient
    private let handle: Int32

    init() throws {
        SharedAgent.ensure()
        let path = directory.path("teams.realm")
        realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: path),
                objectTypes: [BlindTeam.self, BlindMember.self, BlindNote.self, BlindClub.self]))
        wire = try BlockingClient(to: SocketLocation.resolve(), client: "other", timeout: .seconds(20))
        handle = try wire.call(RealmOpen(path: path, create: false)).realm
    }

    var isBlind: Bool { realm.core.transaction?.isBlind == true }

    /// Another process makes a member; only a transaction without the lock lets it.
    func otherAdds(_ id: Int64, _ name: String) throws {
        _ = try wire.call(
            ObjectPut(
                realm: handle, className: "BlindMember", objects: [["id": .int64(id), "name": .string(name)]],
                mode: .create))
    }

    func otherDeletes(_ id: Int64) throws {
        _ = try wire.call(ObjectDelete(realm: handle, className: "BlindMember", keys: [.int(id)]))
    }

    func member(_ id: Int) -> BlindMember? { realm.object(ofType: BlindMember.self, forPrimaryKey: id) }
}

@Suite("Write transactions that only create hold no lock")
struct BlindTransactionsTests {
    @Test("an object that is being added when the lock is taken keeps all its lists")
    func settlingWhileAdding() throws {
        let teams = try TeamRealm()
        let club = BlindClub()
        club.names.append("first")
        club.note = BlindNote()
        club.tags.append(objectsIn: ["a", "b"])
        try teams.realm.write {
            teams.realm.add(club)
            #expect(Array(club.names) == ["first"] && Array(club.tags) == ["a", "b"])
        }
        #expect(Array(club.names) == ["first"] && Array(club.tags) == ["a", "b"] && club.note != nil)
    }

    @Test("creating, linking new objects and reading them back asks the agent for nothing")
    func staysBlind() throws {
        let teams = try TeamRealm()
        let realm = teams.realm
        try realm.write {
            #expect(teams.isBlind)
            let team = BlindTeam(1, "red")
            team.members.append(BlindMember(1, "Ann"))
            team.tags.append(objectsIn: ["fast", "small"])
            realm.add(team)
            let ben = realm.create(BlindMember.self, value: ["id": 2, "name": "Ben"])
            team.leader = ben
            team.members.append(ben)
            ben.age = 30
            #expect(ben.age == 30 && team.leader?.name == "Ben" && team.members.count == 2)
            #expect(team.members[1].age == 30 && team.tags[0] == "fast")
            #expect(teams.isBlind)
        }
        let team = try #require(realm.object(ofType: BlindTeam.self, forPrimaryKey: 1))
        #expect(team.leader?.age == 30)
        #expect(team.members.map(\.name) == ["Ann", "Ben"])
        #expect(Array(team.tags) == ["fast", "small"])
    }

    @Test(
        "what reads or changes what is there takes the lock first",
        arguments: [
            "count", "object", "query", "read", "change", "delete", "deleteAll", "empty", "upsert", "inverse", "hash",
            "id", "same", "list", "noKey"
        ])
    func takesTheLock(_ how: String) throws {
        let teams = try TeamRealm()
        let realm = teams.realm
        let old = BlindMember(1, "old")
        try realm.write { realm.add(old) }
        let all = realm.objects(BlindMember.self)
        #expect(all.count == 1)
        realm.beginWrite()
        let new = BlindMember(3, "new")
        realm.add(new)
        let team = BlindTeam(1, "red")
        realm.add(team)
        team.members.append(new)
        try teams.otherAdds(2, "other")
        #expect(teams.isBlind)
        switch how {
        case "count": #expect(all.count == 3, "the newest state, and the transaction's own")
        case "object": #expect(teams.member(2)?.name == "other")
        case "query": #expect(all.where { $0.name == "other" }.count == 1)
        case "read": #expect(old.name == "old")
        case "change": old.age += 1
        case "delete": realm.delete(new)
        case "deleteAll": realm.deleteAll()
        case "empty": #expect(!realm.isEmpty)
        case "upsert": realm.add(BlindMember(2, "changed"), update: .modified)
        case "inverse": #expect(new.teams.count == 1)
        case "hash": #expect(Set([new, old]).contains(new))
        case "id": #expect(new.isSameObject(as: new) && !new.isSameObject(as: old))
        case "same": #expect(new != old)
        case "list": #expect(team.members.filter("name == 'new'").count == 1)
        case "noKey": realm.add(BlindNote())
        default: Issue.record("\(how)?")
        }
        #expect(!teams.isBlind)
        // The lock is held: what another client wants waits, so that it can't be asked here.
        try realm.commitWrite()
        #expect(all.count == (how == "deleteAll" ? 0 : how == "delete" ? 2 : 3))
        if how == "upsert" { #expect(teams.member(2)?.name == "changed") }
        if how == "change" { #expect(old.age == 1) }
        if how != "delete", how != "deleteAll" {
            #expect(new.name == "new" && new.id == 3)
            #expect(team.members.count == 1 && team.members[0].id == 3)
        }
    }

    @Test("objects created before the lock was had are the same ones after it, though others came first")
    func keysMove() throws {
        let teams = try TeamRealm()
        let realm = teams.realm
        try realm.write { realm.add(BlindMember(1, "first")) }
        let team = BlindTeam(7, "red")
        let ann = BlindMember(10, "Ann")
        var members: List<BlindMember>?
        try realm.write {
            realm.add(team)
            team.leader = ann
            team.members.append(objectsIn: [ann, BlindMember(11, "Ben")])
            members = team.members
            for id in 2...4 { try teams.otherAdds(Int64(id), "other") }
            #expect(realm.objects(BlindMember.self).count == 6)
            #expect(ann.name == "Ann" && team.leader == ann && team.leader?.id == 10)
            #expect(realm.objects(BlindTeam.self).where { $0.leader.name == "Ann" }.count == 1)
            #expect(members?.filter("name == 'Ben'").count == 1)
            #expect(Array(ann.teams) == [team])
            ann.age = 5
            team.members.append(BlindMember(12, "Cid"))
        }
        #expect(ann.id == 10 && ann.age == 5 && team.leader == ann)
        #expect(members.map { $0.map(\.id) } == [10, 11, 12])
        #expect(realm.objects(BlindMember.self).sorted(by: \.id).map(\.id) == [1, 2, 3, 4, 10, 11, 12])
        #expect(teams.member(2)?.name == "other")
    }

    @Test("objects committed in one request are the same ones after it, though others came first")
    func keysAreLearned() throws {
        let teams = try TeamRealm()
        let realm = teams.realm
        let team = BlindTeam(7, "red")
        let ann = BlindMember(10, "Ann")
        var members: List<BlindMember>?
        try realm.write {
            realm.add(team)
            team.members.append(objectsIn: [ann, BlindMember(11, "Ben")])
            members = team.members
            for id in 2...4 { try teams.otherAdds(Int64(id), "other") }
            #expect(teams.isBlind)
        }
        #expect(ann.id == 10 && ann.name == "Ann" && !ann.isInvalidated)
        #expect(members.map { $0.map(\.name) } == ["Ann", "Ben"])
        #expect(team.name == "red" && Array(ann.teams) == [team])
        #expect(realm.objects(BlindMember.self).count == 5)
        try realm.write { ann.name = "Anna" }
        #expect(teams.member(10)?.name == "Anna" && teams.member(2)?.name == "other")
    }

    @Test("an object that comes back under its primary key while others link to it keeps its links")
    func tombstones() throws {
        let teams = try TeamRealm()
        let realm = teams.realm
        let (team, ann) = (BlindTeam(1, "red"), BlindMember(1, "Ann"))
        try realm.write {
            realm.add(team)
            team.members.append(objectsIn: [ann, BlindMember(2, "Ben")])
        }
        // Deleted by its key alone, its place in the list is kept for it.
        try teams.otherDeletes(1)
        realm.refresh()
        #expect(ann.isInvalidated)
        for takesLock in [false, true] {
            let again = BlindMember(1, "again")
            try realm.write {
                realm.add(again)
                realm.add(BlindMember(takesLock ? 5 : 4, "more"))
                if takesLock { #expect(realm.objects(BlindMember.self).count == 4) }
                again.age = 3
            }
            #expect(again.name == "again" && again.age == 3 && again.id == 1)
            #expect(teams.member(takesLock ? 5 : 4)?.name == "more")
            try teams.otherDeletes(1)
            realm.refresh()
            #expect(again.isInvalidated)
        }
    }

    @Test("a cancelled blind transaction leaves nothing, and its objects are invalid")
    func cancel() throws {
        let teams = try TeamRealm()
        let realm = teams.realm
        realm.beginWrite()
        let ann = BlindMember(1, "Ann")
        realm.add(ann)
        realm.cancelWrite()
        #expect(ann.isInvalidated)
        try realm.write { realm.add(BlindMember(1, "Ben")) }
        #expect(ann.isInvalidated)
        #expect(teams.member(1)?.name == "Ben")
    }

    @Test("an empty transaction brings the realm to the newest version, as any does")
    func empty() throws {
        let teams = try TeamRealm()
        let realm = teams.realm
        realm.autorefresh = false
        try teams.otherAdds(1, "other")
        try realm.write {}
        #expect(teams.member(1)?.name == "other")
    }

    @Test("more than one part of changes takes the lock and goes on")
    func large() throws {
        let teams = try TeamRealm()
        let realm = teams.realm
        let text = String(repeating: "x", count: 1000)
        var kept: [BlindMember] = []
        try realm.write {
            for id in 0..<2000 {
                let member = BlindMember(id, "\(id) \(text)")
                realm.add(member)
                if id % 100 == 0 { kept.append(member) }
                if id == 10 { try teams.otherAdds(100_000, "other") }
            }
            #expect(!teams.isBlind)
        }
        #expect(realm.objects(BlindMember.self).count == 2001)
        #expect(kept.allSatisfy { $0.name.hasPrefix("\($0.id) x") })
    }

    @Test("threads of one process take turns, and each transaction sees the one before it")
    func threads() throws {
        let teams = try TeamRealm()
        let configuration = teams.realm.configuration
        let next = ClientKit.Lock(0)
        let group = DispatchGroup()
        for _ in 0..<4 {
            group.enter()
            Thread {
                defer { group.leave() }
                recordingFailure {
                    let realm = try Realm(configuration: configuration)
                    for _ in 0..<25 {
                        // Nobody else of the process may be in a block: what it counts is guarded by that.
                        try realm.write {
                            let id = next.withLock { $0 }
                            realm.add(BlindMember(id, "\(id)"))
                            next.withLock { $0 = id + 1 }
                        }
                    }
                }
            }.start()
        }
        group.wait()
        teams.realm.refresh()
        #expect(teams.realm.objects(BlindMember.self).count == 100)
    }
}

/// Runs what a thread does; a failure fails the test.
private func recordingFailure(_ body: () throws -> Void) {
    do { try body() } catch { Issue.record(error) }
}
