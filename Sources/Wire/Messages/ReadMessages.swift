import Model

/// Objects that match.
package struct ReadQuery: WireRequest {
    package typealias Reply = QueryReply
    package static let method = Method.readQuery

    package var realm: Int32
    /// Snapshot to read; nil: the newest.
    package var pin: Int64?
    package var query: QueryRequest
    package var form: ObjectForm

    package init(realm: Int32, pin: Int64? = nil, query: QueryRequest, form: ObjectForm = ObjectForm()) {
        self.realm = realm
        self.pin = pin
        self.query = query
        self.form = form
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            realm: try view.get("realm"), pin: try view.find("pin"), query: try QueryRequest(view),
            form: try ObjectForm(view))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("pin", pin)
        query.write(to: writer)
        form.write(to: writer)
    }
}

/// A batch of objects or of keys, and how to get the rest.
package struct QueryReply: WirePayload {
    package var version: UInt64
    /// How many match in all; first batch only.
    package var count: Int64?
    package var objects: [BSONDocument]?
    package var keys: PackedKeys?
    /// Nil: this was all.
    package var cursor: Int64?

    package init(
        version: UInt64, count: Int64? = nil, objects: [BSONDocument]? = nil, keys: PackedKeys? = nil,
        cursor: Int64? = nil
    ) {
        self.version = version
        self.count = count
        self.objects = objects
        self.keys = keys
        self.cursor = cursor
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            version: try view.get("version"), count: try view.find("count"), objects: try view.find("objects"),
            keys: try view.find("keys"), cursor: try view.find("cursor"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("version", version)
        writer.put("count", count)
        writer.put("objects", objects)
        writer.put("keys", keys)
        writer.put("cursor", cursor)
    }
}

/// The next batch.
package struct ReadNext: WireRequest {
    package typealias Reply = QueryReply
    package static let method = Method.readNext

    package var cursor: Int64
    package var batch: Int32?

    package init(cursor: Int64, batch: Int32? = nil) {
        self.cursor = cursor
        self.batch = batch
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(cursor: try view.get("cursor"), batch: try view.find("batch"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("cursor", cursor)
        writer.put("batch", batch)
    }
}

/// Gives up a cursor before its end.
package struct ReadClose: WireRequest {
    package typealias Reply = Acknowledgement
    package static let method = Method.readClose

    package var cursor: Int64

    package init(cursor: Int64) {
        self.cursor = cursor
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(cursor: try view.get("cursor"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("cursor", cursor)
    }
}

/// One object by primary key.
package struct ReadGet: WireRequest {
    package typealias Reply = ReadGetReply
    package static let method = Method.readGet

    package var realm: Int32
    /// Snapshot to read; nil: the newest.
    package var pin: Int64?
    package var className: String
    package var key: PrimaryKey
    package var properties: [String]?

    package init(realm: Int32, pin: Int64? = nil, className: String, key: PrimaryKey, properties: [String]? = nil) {
        self.realm = realm
        self.pin = pin
        self.className = className
        self.key = key
        self.properties = properties
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            realm: try view.get("realm"), pin: try view.find("pin"), className: try view.get("class"),
            key: try view.get("key"), properties: try view.find("properties"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("pin", pin)
        writer.put("class", className)
        writer.put("key", key)
        writer.put("properties", properties)
    }
}

/// The object, or nil.
package struct ReadGetReply: WirePayload {
    package var version: UInt64
    package var object: BSONDocument?

    package init(version: UInt64, object: BSONDocument? = nil) {
        self.version = version
        self.object = object
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(version: try view.get("version"), object: try view.find("object"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("version", version)
        writer.put("object", object)
    }
}

/// How many objects match.
package struct ReadCount: WireRequest {
    package typealias Reply = ReadCountReply
    package static let method = Method.readCount

    package var realm: Int32
    /// Snapshot to read; nil: the newest.
    package var pin: Int64?
    package var query: QueryRequest

    package init(realm: Int32, pin: Int64? = nil, query: QueryRequest) {
        self.realm = realm
        self.pin = pin
        self.query = query
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(realm: try view.get("realm"), pin: try view.find("pin"), query: try QueryRequest(view))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("pin", pin)
        query.write(to: writer)
    }
}

/// The number.
package struct ReadCountReply: WirePayload {
    package var version: UInt64
    package var count: Int64

    package init(version: UInt64, count: Int64) {
        self.version = version
        self.count = count
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(version: try view.get("version"), count: try view.get("count"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("version", version)
        writer.put("count", count)
    }
}

/// One figure over the matching objects.
package struct ReadAggregate: WireRequest {
    package typealias Reply = ReadAggregateReply
    package static let method = Method.readAggregate

    package var realm: Int32
    /// Snapshot to read; nil: the newest.
    package var pin: Int64?
    package var query: QueryRequest
    package var function: AggregateName
    /// A property or a path of them.
    package var property: String

    package init(realm: Int32, pin: Int64? = nil, query: QueryRequest, function: AggregateName, property: String) {
        self.realm = realm
        self.pin = pin
        self.query = query
        self.function = function
        self.property = property
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            realm: try view.get("realm"), pin: try view.find("pin"), query: try QueryRequest(view),
            function: try view.get("function"), property: try view.get("property"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("pin", pin)
        query.write(to: writer)
        writer.put("function", function)
        writer.put("property", property)
    }
}

/// The figure; null over no objects (a sum is 0).
package struct ReadAggregateReply: WirePayload {
    package var version: UInt64
    package var value: Value

    package init(version: UInt64, value: Value) {
        self.version = version
        self.value = value
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(version: try view.get("version"), value: try view.get("value"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("version", version)
        writer.put("value", value)
    }
}

/// Which figure.
package enum AggregateName: String, WireName {
    case min, max, sum
    case average = "avg"
}
