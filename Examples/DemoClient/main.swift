import RealmSwift
