import Foundation

// Foundation has these with UIKit and AppKit only.
extension IndexPath {
    /// The place of an element in sections.
    public init(item: Int, section: Int) {
        self.init(indexes: [section, item])
    }

    /// Number of the section.
    public var section: Int {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// Number of the element in its section.
    public var item: Int {
        get { self[1] }
        set { self[1] = newValue }
    }
}
