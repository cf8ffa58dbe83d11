// `import SwiftUI` on systems without it: views without a display, and Realm's property wrappers for them.
@_exported import DisplaylessUI
@_exported import Foundation
@_exported import RealmViews
