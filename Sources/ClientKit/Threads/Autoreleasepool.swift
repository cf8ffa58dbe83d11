#if !canImport(ObjectiveC)
    /// What code written for Apple platforms wraps around the use of a realm. Objects go here when their last reference
    /// does: the body is simply run.
    public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
        try body()
    }
#endif
