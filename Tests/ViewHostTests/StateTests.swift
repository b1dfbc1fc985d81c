import SwiftUI
import Testing
import ViewHost

private struct Counter: View {
    let name: String
    @State private var count = 0

    var body: some View {
        Button("\(name) \(count)") { count += 1 }
    }
}

private struct Pair: View {
    @Binding var isOn: Bool

    var body: some View {
        Button(isOn ? "on" : "off") { isOn.toggle() }
    }
}

private struct Owner: View {
    @State private var isOn = false

    var body: some View {
        Text(isOn ? "lit" : "dark")
        Pair(isOn: $isOn)
    }
}

@Observable
@MainActor
private final class Model {
    var title = "a"
    var unread = 0
}

private struct Reader: View {
    let model: Model
    var body: some View { Text(model.title) }
}

private struct Injected: View {
    @Environment(Model.self) private var model
    @Environment(\.displayScale) private var scale
    var body: some View { Text("\(model.title) \(scale)") }
}

@Suite("State and identity")
@MainActor
struct StateTests {
    @Test("state stays with its place while parents are evaluated again")
    func stateStays() throws {
        let host = ViewHost(rendering: .manual) { Counter(name: "a") }
        try host.tap("a 0")
        host.render()
        host.update { Counter(name: "b") }
        #expect(host.render().texts == ["b 1"])
    }

    @Test("two views of one value have state of their own")
    func sharedValue() throws {
        let counter = Counter(name: "a")
        let host = ViewHost(rendering: .manual) {
            counter.id("left")
            counter.id("right")
        }
        try host.tap("a 0", id: "right")
        #expect(host.render().texts == ["a 0", "a 1"])
    }

    @Test("another id, branch or type makes fresh state; so does a removal")
    func freshState() throws {
        for step in ["id", "branch", "type", "removal"] {
            let host = ViewHost(rendering: .manual) { Switched(step: step, isSecond: false) }
            try host.tap("a 0")
            host.render()
            host.update { Switched(step: step, isSecond: true) }
            let second = host.render().texts
            #expect(second == (step == "removal" ? [] : ["a 0"]), "\(step)")
            host.update { Switched(step: step, isSecond: false) }
            #expect(host.render().texts == ["a 0"], "\(step)")
        }
    }

    @Test("rows keep their state when they move")
    func rowsMove() throws {
        let host = ViewHost(rendering: .manual) { ForEach([1, 2, 3], id: \.self) { Counter(name: "row \($0)") } }
        try host.tap("row 1 0")
        host.render()
        host.update { ForEach([3, 2, 1], id: \.self) { Counter(name: "row \($0)") } }
        #expect(host.render().texts == ["row 3 0", "row 2 0", "row 1 1"])
    }

    @Test("a binding writes to its owner")
    func binding() throws {
        let host = ViewHost(rendering: .manual) { Owner() }
        try host.tap("off")
        #expect(host.render().texts == ["lit", "on"])
    }

    @Test("an equal value evaluates nothing")
    func equalValue() throws {
        let host = ViewHost(rendering: .manual) { Setter() }
        let frame = host.frame.number
        try host.tap("same")
        #expect(host.render().number == frame)
        try host.tap("other")
        #expect(host.render().number == frame + 1)
    }

    @Test("a change of what a body read evaluates that body alone")
    func observation() {
        let model = Model()
        let host = ViewHost(rendering: .manual) {
            Reader(model: model)
            Counter(name: "a")
        }
        model.title = "b"
        model.title = "c"
        let frame = host.render()
        #expect(frame.texts == ["c", "a 0"])
        #expect(frame.bodyEvaluations == 1)
        model.unread = 1
        #expect(host.render().number == frame.number)
    }

    @Test("an observable change makes a frame by itself, also from another thread's task")
    func automaticFrame() async throws {
        let model = Model()
        let host = ViewHost { Reader(model: model) }
        Task.detached { await MainActor.run { model.title = "z" } }
        try await host.next { $0.texts == ["z"] }
    }

    @Test("the environment reaches down, and objects in it are observed")
    func environment() {
        let model = Model()
        var values = EnvironmentValues()
        values.displayScale = 2
        let host = ViewHost(environment: values, rendering: .manual) {
            Group {
                Injected()
                Injected().environment(\.displayScale, 3)
                Group { Injected() }.environment(Model())
            }
            .environment(model)
        }
        #expect(host.frame.texts == ["a 2.0", "a 3.0", "a 2.0"])
        model.title = "b"
        #expect(host.render().texts == ["b 2.0", "b 3.0", "a 2.0"])
        host.environment.displayScale = 1
        #expect(host.render().texts == ["b 1.0", "b 3.0", "a 1.0"])
    }

    @Test("state that is changed by a body is a fault")
    func changeInBody() {
        let host = ViewHost(rendering: .manual) { Restless() }
        #expect(!host.faults.isEmpty)
    }

    @Test("siblings with one identity are a fault, and only the first is shown")
    func duplicateIDs() {
        let host = ViewHost(rendering: .manual) { ForEach([1, 1], id: \.self) { Text("\($0)") } }
        #expect(host.frame.texts == ["1"])
        #expect(!host.faults.isEmpty)
    }
}

private struct Switched: View {
    let step: String
    let isSecond: Bool

    var body: some View {
        switch step {
        case "id": Counter(name: "a").id(isSecond ? 2 : 1)
        case "branch": if isSecond { Counter(name: "a") } else { Counter(name: "a") }
        case "type": AnyView(isSecond ? AnyView(Counter(name: "a").padding()) : AnyView(Counter(name: "a")))
        default: if !isSecond { Counter(name: "a") }
        }
    }
}

private struct Setter: View {
    @State private var value = 1
    var body: some View {
        Text("\(value)")
        Button("same") { value = 1 }
        Button("other") { value = 2 }
    }
}

private struct Restless: View {
    @State private var value = 0
    var body: some View {
        let _ = { value = min(value + 1, 3) }()
        Text("\(value)")
    }
}
