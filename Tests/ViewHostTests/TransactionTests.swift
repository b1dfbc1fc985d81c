import SwiftUI
import Testing
import ViewHost

private struct Fading: View {
    @State private var isSecond = false
    let animation: Animation?
    var disables = false

    var body: some View {
        Button("go") {
            if animation == nil { isSecond.toggle() } else { withAnimation(animation) { isSecond.toggle() } }
        }
        Group {
            if isSecond {
                Image.fixture("second", width: 10, height: 10).transition(.opacity)
            } else {
                Color.gray
            }
        }
        .transaction { if disables { $0.animation = nil } }
    }
}

private struct Valued: View {
    let text: String
    var disables = false

    var body: some View {
        Text(text)
            .animation(.easeIn, value: text)
            .transaction { $0.disablesAnimations = disables }
    }
}

@Suite("Transactions")
@MainActor
struct TransactionTests {
    private func insertion(_ view: Fading) throws -> Frame.Change {
        let host = ViewHost(rendering: .manual) { view }
        #expect(host.frame.changes.allSatisfy { $0.animation == nil })
        try host.tap("go")
        let frame = host.render()
        #expect(frame.images.count == 1)
        return try #require(frame.changes.first { $0.kind == .inserted && $0.transition != nil })
    }

    @Test("a change in withAnimation has its animation, and another has none")
    func animated() throws {
        let change = try insertion(Fading(animation: .easeOut(duration: 1)))
        #expect(change.animation == .easeOut(duration: 1))
        #expect(change.transition == "opacity")
        #expect(try insertion(Fading(animation: nil)).animation == nil)
    }

    @Test("transaction(_:) changes it for the views below")
    func overridden() throws {
        #expect(try insertion(Fading(animation: .default, disables: true)).animation == nil)
    }

    @Test("animation(_:value:) animates what changes along with the value, if animations aren't disabled")
    func valued() throws {
        let host = ViewHost(rendering: .manual) { Valued(text: "a") }
        host.update { Valued(text: "b") }
        let change = try #require(host.render().changes.first { $0.kind == .updated })
        #expect(change.animation == .easeIn)
        host.update { Valued(text: "c", disables: true) }
        let disabled = try #require(host.render().changes.first { $0.kind == .updated })
        #expect(disabled.animation == nil && disabled.disablesAnimations)
    }
}
