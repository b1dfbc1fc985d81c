import SwiftUI
import Testing
import ViewHost

/// One view in a window of 200 by 100 points, and where its elements come to lie.
struct LayoutCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let rects: [CGRect]
    let view: @MainActor @Sendable () -> AnyView

    init<Content: View>(
        _ title: String, _ rects: [CGRect], @ViewBuilder view: @escaping @MainActor @Sendable () -> Content
    ) {
        testDescription = title
        self.rects = rects
        self.view = { AnyView(view()) }
    }

    @MainActor static let all: [LayoutCase] = images + frames + stacks + secondaries

    static let images = [
        LayoutCase("an image has its own size, whatever is proposed", [CGRect(x: -50, y: 25, width: 300, height: 50)]) {
            Image.fixture(width: 300, height: 50)
        },
        LayoutCase("a resizable image takes the proposal", [CGRect(x: 0, y: 0, width: 200, height: 100)]) {
            Image.fixture(width: 300, height: 50).resizable()
        },
        LayoutCase("scaledToFit keeps the ratio inside", [CGRect(x: 50, y: 0, width: 100, height: 100)]) {
            Image.fixture(width: 30, height: 30).resizable().scaledToFit()
        },
        LayoutCase("scaledToFill keeps the ratio and overflows", [CGRect(x: 0, y: -50, width: 200, height: 200)]) {
            Image.fixture(width: 30, height: 30).resizable().scaledToFill()
        },
        LayoutCase("scaledToFill overflows its frame, centred", [CGRect(x: 12, y: 6, width: 176, height: 88)]) {
            Image.fixture(width: 40, height: 20).resizable().scaledToFill().frame(width: 88, height: 88)
        },
        LayoutCase("a ratio of one's own", [CGRect(x: 75, y: 0, width: 50, height: 100)]) {
            Color.red.aspectRatio(0.5, contentMode: .fit)
        },
        LayoutCase("fixedSize proposes nothing", [CGRect(x: 85, y: 35, width: 30, height: 30)]) {
            Image.fixture(width: 30, height: 30).resizable().fixedSize()
        },
    ]

    static let frames = [
        LayoutCase("a frame is fixed, its child is centred", [CGRect(x: 90, y: 40, width: 20, height: 20)]) {
            ProgressView().frame(width: 88, height: 88)
        },
        LayoutCase("a frame's alignment", [CGRect(x: 56, y: 6, width: 20, height: 20)]) {
            ProgressView().frame(width: 88, height: 88, alignment: .topLeading)
        },
        LayoutCase("a frame may fix one side only", [CGRect(x: 90, y: 0, width: 20, height: 100)]) {
            Color.red.frame(width: 20)
        },
        LayoutCase("maxWidth infinity takes what is proposed", [CGRect(x: 0, y: 42, width: 40, height: 16)]) {
            Text("12345").frame(maxWidth: .infinity, alignment: .leading)
        },
        LayoutCase("maxWidth limits", [CGRect(x: 70, y: 0, width: 60, height: 100)]) {
            Color.red.frame(maxWidth: 60)
        },
        LayoutCase("minWidth widens", [CGRect(x: -50, y: 0, width: 300, height: 100)]) {
            Color.red.frame(minWidth: 300)
        },
        LayoutCase("padding takes from the proposal", [CGRect(x: 10, y: 10, width: 180, height: 80)]) {
            Color.red.padding(10)
        },
    ]

    static let stacks = [
        LayoutCase(
            "equally flexible views share",
            [CGRect(x: 0, y: 0, width: 96, height: 100), CGRect(x: 104, y: 0, width: 96, height: 100)]
        ) {
            HStack {
                Color.red
                Color.blue
            }
        },
        LayoutCase(
            "the inflexible choose first",
            [CGRect(x: 0, y: 40, width: 20, height: 20), CGRect(x: 20, y: 0, width: 180, height: 100)]
        ) {
            HStack(spacing: 0) {
                ProgressView()
                Color.blue
            }
        },
        LayoutCase(
            "a spacer takes what the others leave",
            [CGRect(x: 0, y: 42, width: 16, height: 16), CGRect(x: 184, y: 42, width: 16, height: 16)]
        ) {
            HStack(spacing: 0) {
                Text("ab")
                Spacer()
                Text("cd")
            }
        },
        LayoutCase(
            "a higher priority chooses first",
            [CGRect(x: 0, y: 42, width: 40, height: 16), CGRect(x: 40, y: 0, width: 160, height: 100)]
        ) {
            HStack(spacing: 0) {
                Text("12345").layoutPriority(1)
                Color.red
            }
        },
        LayoutCase(
            "a VStack's alignment",
            [CGRect(x: 80, y: 30, width: 40, height: 16), CGRect(x: 80, y: 54, width: 16, height: 16)]
        ) {
            VStack(alignment: .leading) {
                Text("12345")
                Text("12")
            }
        },
        LayoutCase(
            "a ZStack is as large as the largest",
            [CGRect(x: 80, y: 30, width: 40, height: 40), CGRect(x: 80, y: 30, width: 20, height: 20)]
        ) {
            ZStack(alignment: .topLeading) {
                Color.red.frame(width: 40, height: 40)
                ProgressView()
            }
        },
        LayoutCase(
            "a modifier on a group applies to each",
            [CGRect(x: 85, y: 16, width: 30, height: 30), CGRect(x: 85, y: 54, width: 30, height: 30)]
        ) {
            VStack {
                Group {
                    Color.red
                    Color.blue
                }
                .frame(width: 30, height: 30)
            }
        },
    ]

    static let secondaries = [
        LayoutCase(
            "a background takes the content's size and doesn't change it",
            [CGRect(x: 90, y: 40, width: 20, height: 20), CGRect(x: 90, y: 40, width: 20, height: 20)]
        ) {
            ProgressView().background(Color.red)
        },
        LayoutCase(
            "an overlay may be larger than the content",
            [CGRect(x: 90, y: 40, width: 20, height: 20), CGRect(x: 80, y: 30, width: 40, height: 40)]
        ) {
            ProgressView().overlay { Color.red.frame(width: 40, height: 40) }
        },
        LayoutCase("a geometry reader's content starts at its corner", [CGRect(x: 0, y: 0, width: 100, height: 50)]) {
            GeometryReader { proxy in Color.red.frame(width: proxy.size.width / 2, height: proxy.size.height / 2) }
        },
    ]
}

@Suite("Layout")
@MainActor
struct LayoutTests {
    @Test("views lie where SwiftUI puts them", arguments: LayoutCase.all)
    func places(layout: LayoutCase) {
        let host = ViewHost(size: CGSize(width: 200, height: 100)) { layout.view() }
        #expect(host.frame.elements.map(\.rect) == layout.rects, "\(host.frame.description)")
        #expect(host.faults.isEmpty)
    }

    @Test("a layout of one's own sees proposals, and places its views")
    func customLayout() {
        let record = ProposalRecord()
        let host = ViewHost(size: CGSize(width: 200, height: 100)) {
            Recording(record: record) { Image.fixture(width: 40, height: 20).resizable().scaledToFill() }
                .frame(width: 88, height: 88)
        }
        #expect(record.proposals.first == ProposedViewSize(width: 88, height: 88))
        #expect(host.frame.firstRect == CGRect(x: 12, y: 6, width: 176, height: 88))
    }

    @Test("a geometry change is reported first, and again after a new size")
    func geometry() {
        let journal = Journal()
        let host = ViewHost(size: CGSize(width: 200, height: 100)) {
            Color.red.onGeometryChange(for: CGSize.self) {
                $0.size
            } action: { old, new in
                journal.note("\(old.width) \(new.width)")
            }
        }
        #expect(journal.take() == ["200.0 200.0"])
        host.render()
        host.resize(CGSize(width: 120, height: 100))
        host.render()
        #expect(journal.take() == ["200.0 120.0"])
    }
}

final class ProposalRecord: @unchecked Sendable {
    // Only used on the main actor, where the host lays out.
    var proposals: [ProposedViewSize] = []
}

/// A layout of one child that notes what was proposed.
struct Recording: Layout {
    let record: ProposalRecord

    func sizeThatFits(proposal: ProposedViewSize, subviews: Subviews, cache: inout ()) -> CGSize {
        record.proposals.append(proposal)
        return subviews.first?.sizeThatFits(proposal) ?? .zero
    }

    func placeSubviews(in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout ()) {
        subviews.first?.place(at: CGPoint(x: bounds.midX, y: bounds.midY), anchor: .center, proposal: proposal)
    }
}
