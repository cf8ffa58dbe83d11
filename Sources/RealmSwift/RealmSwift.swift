// Code written for Realm says `import RealmSwift`; what it means by that lives in ClientKit.
@_exported import ClientKit
