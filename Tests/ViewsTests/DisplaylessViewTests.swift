import SwiftUI
import Testing

/// The module that stands in for SwiftUI where there is none, without any realm.
@MainActor
@Suite struct DisplaylessViewTests {
    struct Counter: View {
        @State private var count = 0
        @State private var name = ""

        var body: some View {
            VStack {
                Text("count \(count)")
                if count > 1 { Text("many") } else { Text("few") }
                Button("more") { count += 1 }
                TextField("Name", text: $name)
                Text("hello \(name)")
            }
        }
    }

    @Test("state stays from one evaluation to the next, and a change evaluates the tree once") func state() async {
        let host = ViewHost(Counter())
        #expect(host.evaluationCount == 0)
        #expect(host.texts == ["count 0", "few", "more", "Name", "hello "])
        #expect(host.press("more") && host.press("more"))
        #expect(await host.settles { host.evaluationCount == 2 })
        #expect(host.texts.contains("count 2") && host.texts.contains("many"))
        #expect(host.enter("Ann", into: "Name"))
        #expect(host.texts.last == "hello Ann")
        #expect(!host.press("less"))
    }

    final class Model: ObservableObject {
        @Published var word = "one"
        @Published var number = 1
    }

    struct Shown: View {
        @ObservedObject var model: Model
        var body: some View { Text("\(model.word) \(model.number)") }
    }

    struct Owner: View {
        @StateObject private var model = Model()
        var body: some View {
            Shown(model: model)
            Button("change") { model.word = "two" }
            TextField("word", text: $model.word)
        }
    }

    @Test("objects that are owned, given and published") func objects() async {
        let host = ViewHost(Owner())
        #expect(host.texts.first == "one 1")
        host.press("change")
        #expect(await host.settles { host.texts.first == "two 1" })
        host.enter("three", into: "word")
        #expect(await host.settles { host.texts.first == "three 1" })

        let model = Model()
        let other = ViewHost(Shown(model: model))
        #expect(other.texts == ["one 1"])
        model.number = 5
        #expect(await other.settles { other.texts == ["one 5"] })
    }

    struct Row: View {
        let name: String
        @State private var presses = 0
        var body: some View { Button("\(name) \(presses)") { presses += 1 } }
    }

    struct Rows: View {
        @State private var names = ["a", "b", "c"]
        var body: some View {
            List {
                ForEach(names, id: \.self) { Row(name: $0) }
                    .onDelete { names.remove(atOffsets: $0) }
                    .onMove { names.move(fromOffsets: $0, toOffset: $1) }
            }
            Button("turn") { names.reverse() }
        }
    }

    @Test("rows keep their state by their ids, are moved, and go with their state") func rows() {
        let host = ViewHost(Rows())
        host.press("b 0")
        host.press("turn")
        #expect(host.texts == ["c 0", "b 1", "a 0", "turn"])
        #expect(host.move(rowOf: "a 0", before: 0))
        #expect(host.texts == ["a 0", "c 0", "b 1", "turn"])
        #expect(host.delete(rowOf: "b 1") && !host.delete(rowOf: "b 1"))
        #expect(host.texts == ["a 0", "c 0", "turn"])
    }

    struct WordKey: EnvironmentKey { static var defaultValue: String { "none" } }

    struct Told: View {
        @Environment(\.word) private var word
        var body: some View { Text(word) }
    }

    @Test("the environment flows down, not sideways") func environment() {
        let host = ViewHost(
            Group {
                Told()
                Group { Told().environment(\.word, "inner") }.environment(\.word, "outer")
                Told()
            })
        #expect(host.texts == ["none", "inner", "none"])
    }

    struct Life: View {
        @State private var isShown = true
        let log: (String) -> Void
        var body: some View {
            if isShown {
                Text("here").onAppear { log("appear") }.onDisappear { log("disappear") }
                    .onChange(of: isShown) { log("never") }
            }
            Toggle("shown", isOn: $isShown)
            NavigationLink("more", destination: Detail())
                .onChange(of: isShown) { old, new in log("\(old) to \(new)") }
        }
    }

    struct Detail: View {
        @Environment(\.dismiss) private var dismiss
        var body: some View { Button("back") { dismiss() } }
    }

    @Test("views appear once, disappear, and are presented and dismissed") func life() {
        var log: [String] = []
        let host = ViewHost(Life { log.append($0) })
        host.evaluateIfNeeded()
        host.press("more")
        #expect(host.texts.last == "back")
        host.press("back")
        #expect(host.texts == ["here", "shown", "more"])
        #expect(log == ["appear"])
        host.press("shown")
        host.evaluateIfNeeded()
        #expect(log == ["appear", "disappear", "true to false"])
    }

    @Test("progress, sections, disabled controls") func controls() {
        let progress = Progress(totalUnitCount: 4)
        progress.completedUnitCount = 1
        let host = ViewHost(
            Form {
                Section("first") { ProgressView(progress) }
                Section(header: Text("second")) { ProgressView("wait") }
                Button("no") {}.disabled(true)
            })
        #expect(host.all.filter { $0.kind == .section }.map(\.label) == ["first", "second"])
        #expect(host.all.filter { $0.kind == .progress }.map(\.value) == ["0.25", ""])
        #expect(!host.press("no"))
    }
}

extension EnvironmentValues {
    fileprivate var word: String {
        get { self[DisplaylessViewTests.WordKey.self] }
        set { self[DisplaylessViewTests.WordKey.self] = newValue }
    }
}
