// In Realm's own packages this is the Objective-C module. Swift code imports it beside `RealmSwift` for some types and
// names that both share; here they all come from ClientKit (XR-01, OC-04).
import ClientKit
import Foundation

@_exported import class ClientKit.Decimal128
@_exported import class ClientKit.NotificationToken
@_exported import class ClientKit.ObjectId

public typealias RLMObjectId = ObjectId
public typealias RLMDecimal128 = Decimal128
public typealias RLMNotificationToken = NotificationToken
public typealias RLMUpdatePolicy = ClientKit.Realm.UpdatePolicy
public typealias RLMAsyncOpenTask = ClientKit.Realm.AsyncOpenTask
public typealias RLMError = ClientKit.Realm.Error

/// Domain of `RLMError` as `NSError`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let RLMErrorDomain = ClientKit.Realm.Error.errorDomain
/// Name of the exception that the original raises for mistakes of the programmer. Here they trap.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let RLMExceptionName = NSExceptionName("RLMException")
