import Model

/// How the operands of two instructions relate (section 3 of the merge rules).
extension MergeInstruction {
    func isSameClass(as other: MergeInstruction) -> Bool { className == other.className }

    func isSameObject(as other: MergeInstruction) -> Bool { className == other.className && key == other.key }

    func isSameField(as other: MergeInstruction) -> Bool {
        property == other.property && className == other.className && key == other.key
    }

    func isSameColumn(as other: MergeInstruction) -> Bool {
        property == other.property && className == other.className
    }

    func isSamePath(as other: MergeInstruction) -> Bool { path == other.path && isSameField(as: other) }

    /// Same field, same length, all steps but the last equal (M-34).
    func isSameContainer(as other: MergeInstruction) -> Bool {
        path.count == other.path.count && agrees(with: other, steps: path.count - 1) && isSameField(as: other)
    }

    /// Whether the path leads towards the inner instruction's (M-35).
    func isPrefix(of inner: MergeInstruction) -> Bool {
        path.count < inner.path.count && agrees(with: inner, steps: path.count) && isSameField(as: inner)
    }

    /// Whether the inner instruction acts inside an element of the list that this one's path ends in (M-36).
    func isContainerPrefix(of inner: MergeInstruction) -> Bool {
        !path.isEmpty && path.count < inner.path.count && agrees(with: inner, steps: path.count - 1)
            && isSameField(as: inner)
    }

    /// Whether the first steps of both paths, which are that long, are the same.
    private func agrees(with other: MergeInstruction, steps: Int) -> Bool {
        var step = 0
        while step < steps {
            if path[step] != other.path[step] { return false }
            step += 1
        }
        return true
    }

    /// Of two concurrent instructions, whether this is the newer (M-12, M-14).
    func isNewer(than other: MergeInstruction) throws(MergeError) -> Bool {
        guard rank != other.rank else {
            throw MergeError(
                .equalRanks, rule: "M-14",
                "two concurrent changesets of file \(rank.originFileIdent) at \(rank.originTimestamp)")
        }
        return other.rank < rank
    }

    /// Whether two sets' elements are the same (M-37).
    func isSameElement(as other: MergeInstruction) -> Bool {
        guard case .value(let a) = payload, case .value(let b) = other.payload else { return false }
        return a.isSameElement(as: b)
    }
}

/// Discards the one with the lower rank.
func discardOlder(_ x: inout MergeInstruction, _ y: inout MergeInstruction) throws(MergeError) {
    if try x.isNewer(than: y) { y.discard() } else { x.discard() }
}

/// Throws unless what the histories of both sides imply holds (M-91).
func require(_ holds: Bool, rule: String, _ what: @autoclosure () -> String) throws(MergeError) {
    guard holds else { throw MergeError(.inconsistentHistory, rule: rule, what()) }
}
