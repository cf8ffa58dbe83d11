/// Numbers of the instructions (C-50).
public enum Opcode: UInt8, Sendable, CaseIterable {
    case addTable = 0x00
    case eraseTable = 0x01
    case createObject = 0x02
    case eraseObject = 0x03
    case update = 0x04
    case addInteger = 0x05
    case addColumn = 0x06
    case eraseColumn = 0x07
    case arrayInsert = 0x08
    case arrayMove = 0x09
    case arrayErase = 0x0a
    case clear = 0x0b
    case setInsert = 0x0c
    case setErase = 0x0d
    /// Defines the next interned string (C-27).
    case internString = 0x3f
}

/// Numbers of what an instruction can carry as a value (C-32).
public enum PayloadType: Int8, Sendable, CaseIterable {
    case set = -6
    case list = -5
    case erased = -4
    case dictionary = -3
    case embeddedObject = -2
    case globalKey = -1
    case null = 0
    case int = 1
    case bool = 2
    case string = 3
    case binary = 4
    case timestamp = 5
    case float = 6
    case double = 7
    case decimal = 8
    case link = 9
    case objectId = 10
    case uuid = 11
}

/// Limits of single values and names (C-15, C-16).
public enum ChangesetLimit {
    /// Longest string value or interned string in bytes.
    public static let stringLength = 16_777_199
    /// Longest binary value in bytes.
    public static let binaryLength = 16_777_200
    /// Longest class name in bytes.
    public static let classNameLength = 57
    /// Longest property name in bytes.
    public static let propertyNameLength = 63
    /// How deep collections may nest inside a Mixed (C-14).
    public static let nestingDepth = 100

    /// Whether a class can be called so. A name with a zero byte couldn't be written in a message.
    public static func allows(className name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= classNameLength && !name.utf8.contains(0)
    }

    /// Whether a property can be called so.
    public static func allows(propertyName name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= propertyNameLength && !name.utf8.contains(0)
    }
}
