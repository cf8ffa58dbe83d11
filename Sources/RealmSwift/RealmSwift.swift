// Code written for Realm says `import RealmSwift`; what it means by that lives in ClientKit.
@_exported import ClientKit

#if !os(Linux)
    // Where there is no SwiftUI the module `SwiftUI` has it.
    @_exported import RealmViews
#endif
