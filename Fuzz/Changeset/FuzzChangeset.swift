import Model

/// Any bytes as a changeset: they are refused, or what was read can be written, in each layout, and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzChangeset(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    guard let instructions = try? Changeset.decode(UnsafeRawBufferPointer(start: data, count: size)) else { return 0 }
    for layout in [ChangesetWriter.Layout.stringsFirst, .streaming, .writingClient] {
        let again = (try? Changeset.encode(instructions, layout: layout)).flatMap { try? Changeset.decode($0) }
        guard again == instructions else {
            fatalError("\(instructions) comes back as \(again.map { "\($0)" } ?? "an error"), \(layout)")
        }
    }
    return 0
}
