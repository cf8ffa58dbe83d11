import Foundation
import Model

extension Date {
    /// The date that is nearest to the instant. Computed from 2001 on, where `Date` is most precise.
    @inlinable
    init(_seconds seconds: Int64, nanoseconds: Int32) {
        self.init(timeIntervalSinceReferenceDate: Double(seconds &- 978_307_200) + Double(nanoseconds) / 1e9)
    }
}
