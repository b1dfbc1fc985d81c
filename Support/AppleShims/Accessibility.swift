public import Foundation

public struct AccessibilitySettings {
    public static var animatedImagesEnabled: Bool { fatalError() }
    public static var animatedImagesEnabledDidChangeNotification: Notification.Name { fatalError() }
}
