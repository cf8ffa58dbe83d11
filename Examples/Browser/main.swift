import Foundation
import RealmSwift

// Browses the country subdivisions of the world.
//
//     place-browser REALM [COMMAND…]

let arguments = Array(CommandLine.arguments.dropFirst())
guard let path = arguments.first else {
    FileHandle.standardError.write(Data("usage: place-browser REALM [COMMAND…]\n".utf8))
    exit(2)
}

do {
    let realm = try Realm(
        configuration: Realm.Configuration(
            fileURL: URL(fileURLWithPath: path), readOnly: true, objectTypes: [Subdivision.self]))
    let browser = Browser(places: realm.objects(Subdivision.self))
    if arguments.count > 1 {
        print(browser.answer(arguments.dropFirst().joined(separator: " ")))
    } else {
        print("\(browser.places.count) places")
        while let line = readLine(), line != "quit" { print(browser.answer(line)) }
    }
} catch {
    FileHandle.standardError.write(Data("place-browser: \(error.localizedDescription)\n".utf8))
    exit(1)
}
