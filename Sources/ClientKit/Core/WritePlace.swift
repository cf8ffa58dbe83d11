import Model

/// Where an instruction acts: a property of an object that has a key, and what follows it.
struct WritePlace {
    let object: EncodedObject
    let property: UInt32
    var steps = PlaceSteps()

    func appending(_ step: RawStep) -> WritePlace {
        var place = self
        place.steps.append(step)
        return place
    }
}

/// The steps of a path below a property. There are few: into embedded objects, and one to an element.
struct PlaceSteps: RandomAccessCollection {
    private var first: [RawStep] = []
    private var last: RawStep?

    var startIndex: Int { 0 }
    var endIndex: Int { last == nil ? 0 : first.count + 1 }

    subscript(position: Int) -> RawStep {
        if position < first.count { return first[position] }
        guard let last, position == first.count else { preconditionFailure("step \(position) of \(count)") }
        return last
    }

    mutating func append(_ step: RawStep) {
        // One step alone, to an element of a list, takes no memory of its own.
        if let last { first.append(last) }
        last = step
    }
}
