import RealmSwift
import SwiftUI

/// All notes, the newest first, with a field to search and one to begin a new note.
struct NoteList: View {
    @ObservedResults(Note.self, sortDescriptor: SortDescriptor(keyPath: "created", ascending: false)) var notes
    @State private var search = ""
    @State private var title = ""

    var body: some View {
        NavigationView {
            List {
                ForEach(notes) { note in
                    NoteRow(note: note)
                }
                .onDelete(perform: $notes.remove)
            }
            .searchable(text: $search, collection: $notes, keyPath: \.title)
        }
        HStack {
            TextField("New note", text: $title)
            Button("Add") {
                $notes.append(Note(title: title))
                title = ""
            }
            .disabled(title.isEmpty)
        }
        Text(notes.count == 1 ? "1 note" : "\(notes.count) notes")
    }
}

/// A line of the list, which leads to the note.
struct NoteRow: View {
    @ObservedRealmObject var note: Note

    var body: some View {
        HStack {
            Toggle("pin", isOn: $note.isPinned)
            NavigationLink(note.title) { NoteEditor(note: note) }
        }
    }
}

/// A note by itself.
struct NoteEditor: View {
    @ObservedRealmObject var note: Note
    @Environment(\.dismiss) private var dismiss

    var body: some View {
        TextField("Title", text: $note.title)
        TextField("Text", text: $note.text)
        Button("Done") { dismiss() }
    }
}

/// What is pinned, for a second window.
struct PinnedNotes: View {
    @ObservedResults(Note.self, where: { $0.isPinned }, sortDescriptor: SortDescriptor(keyPath: "title")) var notes

    var body: some View {
        if notes.isEmpty {
            Text("nothing is pinned")
        } else {
            ForEach(notes) { note in
                Text(note.text.isEmpty ? note.title : "\(note.title): \(note.text)")
            }
        }
    }
}
