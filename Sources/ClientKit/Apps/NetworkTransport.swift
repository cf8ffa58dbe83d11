import Foundation

/// A method of HTTP.
public enum RLMHTTPMethod: UInt, Sendable {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case GET = 0
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case POST = 1
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case PATCH = 2
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case PUT = 3
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case DELETE = 4
}

/// An HTTP request.
public class RLMRequest {
    public var method = RLMHTTPMethod.GET
    public var url = ""
    /// Milliseconds that the server has for an answer.
    public var timeout: TimeInterval = 60_000
    public var headers: [String: String] = [:]
    public var body = ""

    public init() {}
}

/// An HTTP response.
public class RLMResponse {
    public var httpStatusCode = 0
    public var customStatusCode = 0
    public var headers: [String: String] = [:]
    public var body = ""

    public init() {}
}

/// Called with the response.
public typealias RLMNetworkTransportCompletionBlock = (RLMResponse) -> Void

/// A way to send HTTP requests. Programs that bring one of their own compile; it isn't used, since the agent speaks to
/// servers for all processes.
public protocol RLMNetworkTransport: AnyObject, Sendable {
    func sendRequest(toServer request: RLMRequest, completion: @escaping RLMNetworkTransportCompletionBlock)
}
