@_spi(Reflection) import Swift

/// Connects the dynamic properties among the stored properties of a view. Unsafe: goes by the offsets that the
/// compiler's reflection data gives.
@MainActor
enum UnsafeFieldInstaller {
    static func install<V>(_ view: inout V, _ place: InstallationPlace) {
        withUnsafeMutablePointer(to: &view) { pointer in
            install(fieldsOf: V.self, at: UnsafeMutableRawPointer(pointer), place)
        }
    }

    private static func install(
        fieldsOf type: Any.Type, at base: UnsafeMutableRawPointer, _ place: InstallationPlace
    ) {
        var fields: [(offset: Int, type: any DynamicProperty.Type)] = []
        // The option: fields of kinds that reflection doesn't know are passed over.
        _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: 2)) { _, offset, field, _ in
            if let property = field as? any DynamicProperty.Type { fields.append((offset, property)) }
            return true
        }
        for field in fields {
            var inner = place
            inner.offset += field.offset
            install(field.type, at: base + field.offset, inner)
        }
    }

    private static func install<Property: DynamicProperty>(
        _ type: Property.Type, at raw: UnsafeMutableRawPointer, _ place: InstallationPlace
    ) {
        if let installed = type as? any InstalledProperty.Type { return connect(installed, at: raw, place) }
        install(fieldsOf: type, at: raw, place)
        raw.assumingMemoryBound(to: type).pointee.update()
    }

    private static func connect<Property: InstalledProperty>(
        _ type: Property.Type, at raw: UnsafeMutableRawPointer, _ place: InstallationPlace
    ) {
        raw.assumingMemoryBound(to: type).pointee.install(place)
    }
}
