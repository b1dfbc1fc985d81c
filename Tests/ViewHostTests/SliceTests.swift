import SwiftUI
import Testing
import ViewHost

/// Made outside the main actor, as `nonisolated` initialisers and modifiers allow.
private func makeOutside(_ url: URL?) -> some View {
    AsyncImage(url: url) { image in
        image.resizable().scaledToFill()
    } placeholder: {
        ProgressView()
    }
    .frame(width: 88, height: 88)
    .clipShape(RoundedRectangle(cornerRadius: 8))
    .overlay(alignment: .topLeading) { Text("new").padding(4) }
    .environment(\.displayScale, 3)
    .task(id: url) {}
    .onAppear {}
    .animation(.default, value: url)
    .accessibilityLabel("photo")
}

private struct Titled: ViewModifier {
    let title: String
    @State private var count = 0

    func body(content: Content) -> some View {
        VStack {
            Button("\(title) \(count)") { count += 1 }
            content
        }
    }
}

@Observable
@MainActor
private final class Settings {
    var isLarge = false
}

private struct Toggling: View {
    @Bindable var settings: Settings
    @Environment(\.scenePhase) private var scenePhase

    var body: some View {
        Text(settings.isLarge ? "large" : "small")
        Flip(isOn: $settings.isLarge)
        switch scenePhase {
        case .active: EmptyView()
        default: Text("asleep")
        }
    }
}

private struct Flip: View {
    @Binding var isOn: Bool
    var body: some View { Button("flip") { isOn.toggle() } }
}

@Suite("The slice of SwiftUI")
@MainActor
struct SliceTests {
    @Test("views are made on any actor, and shown on the main one")
    func nonisolatedViews() async throws {
        let made = await Task.detached { SendableView(makeOutside(nil)) }.value
        let host = ViewHost { made.view }
        #expect(host.frame.showsProgress)
        #expect(host.frame.elements.first?.clip?.size == CGSize(width: 88, height: 88))
        #expect(host.frame.elements.allSatisfy { $0.accessibilityLabel == "photo" })
    }

    @Test("a modifier has state of its own, which stays when the content changes")
    func modifierState() throws {
        let host = ViewHost(rendering: .manual) { Text("a").modifier(Titled(title: "t")) }
        try host.tap("t 0")
        host.render()
        host.update { Text("b").modifier(Titled(title: "t")) }
        #expect(host.render().texts == ["t 1", "b"])
    }

    @Test("a binding to an observable object writes to it")
    func bindable() throws {
        let settings = Settings()
        let host = ViewHost(rendering: .manual) { Toggling(settings: settings) }
        try host.tap("flip")
        #expect(host.render().texts == ["large", "flip"])
        #expect(settings.isLarge)
        host.environment.scenePhase = .background
        #expect(host.render().texts == ["large", "flip", "asleep"])
    }

    @Test("redaction reaches what is drawn below")
    func redaction() {
        let host = ViewHost {
            Text("a").redacted(reason: .placeholder)
            Text("b")
        }
        #expect(host.frame.elements.map(\.isRedacted) == [true, false])
    }
}

/// A view that isn't used by two actors at once: it is only handed over.
private struct SendableView: @unchecked Sendable {
    let view: AnyView
    init(_ view: some View) { self.view = AnyView(view) }
}
