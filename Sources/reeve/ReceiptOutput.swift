import Wire

/// What commands that write print of their receipts.
enum ReceiptOutput {
    static let option = Arguments.Option(
        "receipt", nil, "print nothing but the transaction's receipt, for reeve wait; of several one a line")

    /// Prints receipts. Nothing was changed: there is none.
    static func show(_ receipts: [String?]) throws {
        for receipt in receipts {
            guard let receipt else {
                throw WireError(.objectMissing, "nothing was changed, so there is no receipt")
            }
            Output.line(receipt)
        }
    }
}
