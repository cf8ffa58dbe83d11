import Foundation
import RealmSwift
import SwiftUI
import TestSupport
import Testing

/// The property wrappers beyond the seed documents: bound collections, sections, searches, objects that a view owns.
@MainActor
@Suite(.serialized) struct RealmWrapperTests {
    struct Sorted: View {
        @ObservedResults(KennelDog.self, sortDescriptor: SortDescriptor(keyPath: "name")) var dogs
        @State private var text = ""

        var body: some View {
            List {
                ForEach(dogs) { Text($0.name) }.onDelete(perform: $dogs.remove)
            }
            .searchable(text: $text, collection: $dogs, keyPath: \.name)
            Button("old") { $dogs.where = { $0.age > 5 } }
            Button("named R") { $dogs.filter = NSPredicate(format: "name BEGINSWITH 'R'") }
            Button("backwards") { $dogs.sortDescriptor = SortDescriptor(keyPath: "name", ascending: false) }
            Button("drop first") { if let dog = dogs.first { $dogs.remove(dog) } }
        }
    }

    func names(_ host: ViewHost) -> [String] {
        host.all.filter { $0.kind == .row }.map { $0.children.map(\.label).joined() }
    }

    @Test("UI-07 UI-14: filters, orders and searches of results can be changed, and objects removed")
    func settings() async throws {
        let kennel = Kennel()
        let realm = try kennel.filled("Rex", "Ada", "Rolf")
        let host = ViewHost(Sorted().environment(\.realmConfiguration, kennel.configuration))
        #expect(names(host) == ["Ada", "Rex", "Rolf"])
        #expect(host.enter("r", into: "Search"))
        #expect(names(host) == ["Rex", "Rolf"])
        #expect(host.enter("'\\", into: "Search") && names(host) == [])
        #expect(host.enter("", into: "Search") && names(host) == ["Ada", "Rex", "Rolf"])
        host.press("backwards")
        #expect(names(host) == ["Rolf", "Rex", "Ada"])
        host.press("old")
        #expect(names(host) == [])
        try realm.write { realm.objects(KennelDog.self).where { $0.name == "Ada" }.first?.age = 9 }
        #expect(await host.settles { names(host) == ["Ada"] })
        host.press("named R")
        #expect(names(host) == ["Rolf", "Rex"])
        host.press("drop first")
        #expect(await host.settles { names(host) == ["Rex"] })
    }

    struct OnlyNames: View {
        @ObservedResults(KennelDog.self, keyPaths: ["name"]) var dogs
        var body: some View { Text(dogs.map { "\($0.name) \($0.age)" }.joined(separator: ",")) }
    }

    @Test("UI-06: key paths say which changes evaluate the view again") func keyPaths() async throws {
        let kennel = Kennel()
        let realm = try kennel.filled("Rex")
        let host = ViewHost(OnlyNames().environment(\.realmConfiguration, kennel.configuration))
        #expect(host.texts == ["Rex 0"])
        let dog = try #require(realm.objects(KennelDog.self).first)
        try realm.write { dog.age = 1 }
        try realm.write { dog.name = "Max" }
        #expect(await host.settles { host.texts == ["Max 1"] })
        #expect(host.evaluationCount == 2)
    }

    struct Projected: View {
        @ObservedResults(KennelDogName.self) var names
        var body: some View { ForEach(names) { Text($0.name) } }
    }

    @Test("UI-06: results of projections") func projections() async throws {
        let kennel = Kennel()
        try kennel.filled("Rex")
        let host = ViewHost(Projected().environment(\.realmConfiguration, kennel.configuration))
        #expect(host.texts == ["Rex"])
        try await kennel.elsewhere { $0.add(KennelDog(name: "Ada")) }
        #expect(await host.settles { Set(host.texts) == ["Rex", "Ada"] })
    }

    struct Breeds: View {
        @ObservedSectionedResults(KennelDog.self, sectionKeyPath: \.breed) var breeds
        var body: some View {
            ForEach(breeds) { breed in
                Section(breed.key) {
                    ForEach(breed) { Text($0.name) }
                        .onDelete { $breeds.remove(atOffsets: $0, section: breed) }
                }
            }
        }
    }

    struct Letters: View {
        @ObservedSectionedResults(
            KennelDog.self, sectionBlock: { String($0.name.prefix(1)) },
            sortDescriptors: [SortDescriptor(keyPath: "name")]) var letters
        var body: some View { Text(letters.map { "\($0.key)\($0.count)" }.joined(separator: " ")) }
    }

    @Test("UI-08: sections by a property and by a block") func sections() async throws {
        let kennel = Kennel()
        let realm = try await Realm(configuration: kennel.configuration)
        try realm.write {
            for (name, breed) in [("Rex", "boxer"), ("Ada", "beagle"), ("Rolf", "boxer")] {
                realm.add(KennelDog(name: name, breed: breed))
            }
        }
        let host = ViewHost(
            VStack {
                Breeds()
                Letters()
            }
            .environment(\.realmConfiguration, kennel.configuration))
        #expect(host.texts == ["beagle", "Ada", "boxer", "Rex", "Rolf", "A1 R2"])
        #expect(host.delete(rowOf: "Ada"))
        #expect(await host.settles { host.texts == ["boxer", "Rex", "Rolf", "R2"] })
        try realm.write { realm.add(KennelDog(name: "Zoe", breed: "akita")) }
        #expect(await host.settles { host.texts == ["akita", "Zoe", "boxer", "Rex", "Rolf", "R2 Z1"] })
    }

    struct PersonView: View {
        @ObservedRealmObject var person: KennelPerson
        var body: some View {
            List {
                ForEach(person.dogs) { Text($0.name) }
                    .onDelete(perform: $person.dogs.remove)
                    .onMove(perform: $person.dogs.move)
            }
            Button("append") { $person.dogs.append(KennelDog(name: "New")) }
            Button("delete") { $person.delete() }
        }
    }

    @Test("UI-09 UI-11: a bound list is appended to, moved in and removed from, each in a transaction")
    func boundList() async throws {
        let kennel = Kennel()
        let realm = try await Realm(configuration: kennel.configuration)
        let person = KennelPerson()
        person.dogs.append(objectsIn: ["a", "b", "c"].map { KennelDog(name: $0) })
        try realm.write { realm.add(person) }
        let host = ViewHost(PersonView(person: person))
        #expect(names(host) == ["a", "b", "c"])
        host.press("append")
        #expect(await host.settles { names(host) == ["a", "b", "c", "New"] })
        host.move(rowOf: "New", before: 0)
        #expect(await host.settles { names(host) == ["New", "a", "b", "c"] })
        host.delete(rowOf: "a")
        #expect(await host.settles { names(host) == ["New", "b", "c"] })
        // Removed from the list, not from the realm.
        #expect(realm.objects(KennelDog.self).count == 4)
        host.press("delete")
        #expect(await host.settles { names(host) == [] })
        #expect(person.isInvalidated)
    }

    struct Collections: View {
        @ObservedRealmObject var dog: KennelDog
        @ObservedRealmObject var toys: RealmSwift.List<String>
        var body: some View {
            Text(dog.tricks.sorted().joined(separator: ","))
            Text(dog.visits.keys.map { "\($0)=\(dog.visits[$0] ?? 0)" }.joined(separator: ","))
            Text(toys.joined(separator: ","))
            Button("learn") { $dog.tricks.insert("sit") }
            Button("forget") { $dog.tricks.remove("sit") }
            Button("visit") { $dog.visits["Ann"] = 2 }
            Button("unvisit") { $dog.visits.set(object: nil, for: "Ann") }
            Button("buy") { $toys.append("ball") }
        }
    }

    @Test("UI-09 UI-11: sets, maps, and a list by itself") func boundCollections() async throws {
        let kennel = Kennel()
        let realm = try kennel.filled("Rex")
        let dog = try #require(realm.objects(KennelDog.self).first)
        let host = ViewHost(Collections(dog: dog, toys: dog.toys))
        func shown() -> [String] { host.all.filter { $0.kind == .text }.map(\.label) }
        #expect(shown() == ["", "", ""])
        for button in ["learn", "visit", "buy"] { host.press(button) }
        #expect(await host.settles { shown() == ["sit", "Ann=2", "ball"] })
        for button in ["forget", "unvisit"] { host.press(button) }
        #expect(await host.settles { shown() == ["", "", "ball"] })
    }

    struct Draft: View {
        @StateRealmObject var dog = KennelDog(name: "draft")
        @ObservedResults(KennelDog.self) var dogs
        var body: some View {
            TextField("name", text: $dog.name)
            Text("\(dog.name) of \(dogs.count)")
            Button("save") { $dogs.append(dog) }
        }
    }

    @Test("UI-10: an object that a view owns is unmanaged at first, and followed once it is added")
    func stateRealmObject() async throws {
        let kennel = Kennel()
        let host = ViewHost(Draft().environment(\.realmConfiguration, kennel.configuration))
        #expect(host.texts.contains("draft of 0"))
        host.enter("Rex", into: "name")
        #expect(host.texts.contains("Rex of 0"))
        host.press("save")
        #expect(await host.settles { host.texts.contains("Rex of 1") })
        try await kennel.elsewhere { $0.objects(KennelDog.self).first?.name = "Max" }
        #expect(await host.settles { host.texts.contains("Max of 1") })
    }

    @Test("UI-11: a binding to a property of any object") func bind() throws {
        let kennel = Kennel()
        let realm = try kennel.filled("Rex")
        let dog = try #require(realm.objects(KennelDog.self).first)
        let name = dog.freeze().bind(\.name)
        #expect(name.wrappedValue == "Rex")
        name.wrappedValue = "Max"
        #expect(dog.name == "Max" && name.wrappedValue == "Max")
        let toys = dog.bind(\.toys)
        toys.append("ball")
        toys.remove(at: 0)
        #expect(dog.toys.isEmpty)
    }
}
