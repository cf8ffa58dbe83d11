import Model

/// What an instruction stream has established: its interned strings, and what they name in this realm.
struct InstructionStream {
    /// A class of the stream, with its properties by interned index.
    final class ClassMemo {
        let writer: TableWriter
        /// Slot + 1 by interned index of the property's name; 0 for those not looked up.
        @exclusivity(unchecked) var slots: ContiguousArray<Int32> = []
        /// `WriteTransaction.checkCreation` has been asked.
        @exclusivity(unchecked) var mayCreate = false

        init(_ writer: TableWriter) {
            self.writer = writer
        }
    }

    let strings = InternTable()
    /// Bytes of the stream so far.
    var offset = 0
    /// By interned index of the class name.
    var classes: ContiguousArray<ClassMemo?> = []
    /// Embedded classes, which paths lead to without naming them.
    var embedded: [TableId: ClassMemo] = [:]
    /// The object that the last instruction was about.
    var target: UInt32 = .max
    var key = RawKey.null
    var object: Int64 = -1

    /// Forgets what depends on the schema.
    mutating func forgetClasses() {
        classes = []
        embedded = [:]
        forgetObject()
    }

    mutating func forgetObject() {
        target = .max
        object = -1
    }
}
