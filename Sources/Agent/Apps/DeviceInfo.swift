import Foundation
import Wire

/// What a log-in tells the server about this machine (H-17).
enum DeviceInfo {
    static let fields: [String: String] = {
        var system = utsname()
        uname(&system)
        func text(_ field: some Any) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return [
            "platform": text(system.sysname), "platformVersion": text(system.release), "cpuArch": text(system.machine),
            "sdk": "Reeve", "sdkVersion": ReeveVersion.current, "coreVersion": ReeveVersion.current, "deviceName": "",
            "deviceVersion": "", "frameworkName": "", "frameworkVersion": "", "bundleId": ""
        ]
    }()
}
