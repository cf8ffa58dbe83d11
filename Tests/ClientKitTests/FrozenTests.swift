import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import ClientKit

@Suite("Frozen objects")
struct FrozenTests {
    private let fixture = PackFixture()

    @Test("XR-05: several threads read the collections of one frozen object, from the first read on")
    func threads() throws {
        let realm = try fixture.filled()
        let threads = 4
        let wrong = ClientKit.Lock<[String]>([])
        for _ in 0..<100 {
            try realm.write { realm.objects(Hound.self)[3].age += 1 }
            let hound = UnsafeTransfer(realm.objects(Hound.self)[3].freeze())
            DispatchQueue.concurrentPerform(iterations: threads) { _ in
                for _ in 0..<20 {
                    let hound = hound.value
                    let tricks = hound.tricks.count
                    let packs = hound.packs.first?.hounds.count
                    if tricks != 3 || packs != 5 || hound.owner != nil {
                        wrong.withLock { $0.append("\(tricks) \(packs ?? -1)") }
                    }
                }
            }
        }
        #expect(wrong.withLock { $0 } == [])
    }

    @Test("a frozen object keeps no collection: nothing is written to it by reading")
    func keepsNothing() throws {
        let hound = try fixture.filled().objects(Hound.self)[3]
        #expect(hound.tricks === hound.tricks)
        let frozen = hound.freeze()
        #expect(frozen.tricks !== frozen.tricks)
        #expect(frozen.tricks == frozen.tricks)
        #expect(frozen.tricks.map { $0 } == ["trick0", "trick1", "trick2"])
    }

    @Test("a frozen realm knows its Swift classes before anybody reads from it")
    func knowsItsClasses() throws {
        let frozen = try fixture.filled().freeze()
        #expect(frozen.core.infos.values.allSatisfy { $0.model != nil })
    }
}
