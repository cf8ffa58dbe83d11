import ClientKit
import Foundation
import Testing

@Suite("Realm.Error")
struct RealmErrorTests {
    private func thrown(_ error: any Swift.Error) throws {
        throw error
    }

    @Test("XR-09: is caught as NSError with domain and code")
    func asNSError() {
        do {
            try thrown(Realm.Error(.fileNotFound))
        } catch let error as NSError {
            #expect(error.domain == "io.realm")
            #expect(error.code == 5)
            #expect(error.userInfo["Error Name"] as? String == "fileNotFound")
        }
    }

    @Test("XR-09: an NSError of the domain is a Realm.Error, others are not")
    func fromNSError() {
        let error: any Swift.Error = NSError(domain: "io.realm", code: 10)
        #expect((error as? Realm.Error)?.code == .schemaMismatch)
        let other: any Swift.Error = NSError(domain: "elsewhere", code: 10)
        #expect(other as? Realm.Error == nil)
    }

    @Test("codes match in catch clauses")
    func codes() {
        do {
            try thrown(Realm.Error(.alreadyOpen))
        } catch Realm.Error.fileAccess {
            Issue.record("another code matched")
        } catch Realm.Error.alreadyOpen {
            return
        } catch {
            Issue.record("\(error)")
        }
    }
}
