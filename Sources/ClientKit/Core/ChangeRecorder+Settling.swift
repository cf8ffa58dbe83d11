import Store

extension ChangeRecorder {
    /// The write lock is had: what was created gets the keys that the agent will give.
    func settle() {
        isBlind = false
        let provisional = overlays.values.filter(\.isProvisional)
        for overlay in provisional { overlay.settle(in: overlay.info.reader) }
        for overlay in provisional { settleLinks(overlay) }
        let links = newLinks
        newLinks = [:]
        for (target, origins) in links {
            let key = overlays[target.table]?.settled(target.key) ?? target.key
            newLinks[LinkTarget(table: target.table, key: key)] = Set(
                origins.map { LinkOrigin(info: $0.info, column: $0.column, key: settled($0.info, $0.key)) })
        }
    }

    /// The key by which the file will know, or knows, an object.
    func settled(_ info: ClassInfo, _ key: ObjectKey) -> ObjectKey {
        guard key.isProvisional else { return key }
        return overlay(info)?.settled(key) ?? key
    }

    private func settleLinks(_ overlay: ClassOverlay) {
        for column in overlay.info.table.columns where column.property.type == .link {
            guard let target = self.overlay(overlay.info.target(of: column)) else { continue }
            for row in overlay.rows.indices where overlay.cells.state(row, column.slot) == .value {
                let key = target.settled(ObjectKey(Int64(bitPattern: overlay.cells.low(row, column.slot))))
                overlay.cells.set(row, column.slot, UInt64(bitPattern: key.raw))
            }
            for (slot, elements) in overlay.lists where slot.slot == Int32(column.slot) {
                overlay.lists[slot] = elements.map { element in
                    if case .link(let key) = element { .link(target.settled(key)) } else { element }
                }
            }
        }
    }
}
