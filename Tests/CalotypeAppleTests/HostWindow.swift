import Foundation
import SwiftUI
import Testing

#if canImport(UIKit)
import UIKit
#else
import AppKit
#endif

/// A view in a window of its own, laid out and drawn by the system as an app's would be.
@MainActor
final class HostWindow {
    #if canImport(UIKit)
    private let window: UIWindow

    init(size: CGSize = CGSize(width: 320, height: 480), @ViewBuilder _ view: () -> some View) {
        window = UIWindow(frame: CGRect(origin: .zero, size: size))
        window.rootViewController = UIHostingController(rootView: view())
        window.isHidden = false
        window.layoutIfNeeded()
    }

    private var scrollView: UIScrollView? { Self.first(in: window) }

    private static func first(in view: UIView) -> UIScrollView? {
        if let found = view as? UIScrollView { return found }
        return view.subviews.lazy.compactMap(first).first
    }

    /// How far the view's first list can be scrolled; 0 as long as there is none.
    private var scrollLimit: CGFloat { scrollView.map { $0.contentSize.height - $0.bounds.height } ?? 0 }

    private func scroll(to offset: CGFloat) {
        scrollView?.contentOffset.y = offset
        window.layoutIfNeeded()
    }

    /// Takes the view from the screen.
    func close() {
        window.isHidden = true
        window.rootViewController = nil
    }
    #else
    private let window: NSWindow

    init(size: CGSize = CGSize(width: 320, height: 480), @ViewBuilder _ view: () -> some View) {
        // Windows want the application's connection to the window server.
        _ = NSApplication.shared
        window = NSWindow(
            contentRect: CGRect(origin: .zero, size: size), styleMask: [.titled], backing: .buffered, defer: false)
        window.isReleasedWhenClosed = false
        window.contentView = NSHostingView(rootView: view())
        window.orderFrontRegardless()
        window.layoutIfNeeded()
    }

    private var scrollView: NSScrollView? { window.contentView.flatMap(Self.first) }

    private static func first(in view: NSView) -> NSScrollView? {
        if let found = view as? NSScrollView { return found }
        return view.subviews.lazy.compactMap(first).first
    }

    /// How far the view's first list can be scrolled; 0 as long as there is none.
    private var scrollLimit: CGFloat {
        scrollView.map { ($0.documentView?.frame.height ?? 0) - $0.contentView.bounds.height } ?? 0
    }

    private func scroll(to offset: CGFloat) {
        guard let scrollView else { return }
        scrollView.contentView.scroll(to: CGPoint(x: 0, y: offset))
        scrollView.reflectScrolledClipView(scrollView.contentView)
        window.layoutIfNeeded()
    }

    /// Takes the view from the screen.
    func close() {
        window.contentView = nil
        window.close()
    }
    #endif

    /// Scrolls the view's list to its end or back to its beginning, half a screen each time, and lets each part be drawn.
    func scroll(toEnd: Bool) async throws {
        try await wait("a list that can be scrolled") { $0.scrollLimit > 0 }
        let stops = Array(stride(from: 0, through: scrollLimit, by: 240)) + [scrollLimit]
        for stop in toEnd ? stops : stops.reversed() {
            scroll(to: stop)
            for _ in 0..<5 { try await refresh() }
        }
    }

    /// Returns once a condition holds. The system draws when it likes, and tells nobody: it is asked at each refresh.
    func wait(_ what: String, until condition: (HostWindow) -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while !condition(self) {
            try #require(ContinuousClock.now < deadline, "There was no \(what) in 60 seconds.")
            try await refresh()
        }
    }

    private func refresh() async throws {
        window.layoutIfNeeded()
        try await Task.sleep(for: .milliseconds(17))
    }
}
