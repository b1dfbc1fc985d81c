/// Something drawn in a frame: a primitive with its place, and what lies inside it.
@MainActor
package struct Element {
    package enum Kind {
        case image(Image)
        case text(String)
        case color(Color)
        case shape(String)
        /// Done so far, from 0 to 1; nil if that is unknown.
        case progress(Double?)
        case button(@MainActor () -> Void)
        case container(String)
    }

    package let kind: Kind
    /// In the window's coordinates, and not cut by a clip.
    package let rect: CGRect
    /// The identities that authors gave, with `id(_:)` and `ForEach`, outermost first.
    package let ids: [AnyHashable]
    /// The same for the same node: from frame to frame, for as long as the view keeps its identity.
    package let node: ObjectIdentifier
    /// The transaction that the element's node was last updated in.
    package let transaction: Transaction
    package var children: [Element]
    package var opacity = 1.0
    /// What is left of the window, after clips and scroll views.
    package var clip: CGRect?
    package var isHidden = false
    package var accessibilityLabel: String?
    package var isAccessibilityHidden = false
    package let isRedacted: Bool

    init(kind: Kind, rect: CGRect, node: ViewNode, children: [Element]) {
        self.kind = kind
        self.rect = rect
        ids = node.explicitIDs
        self.node = ObjectIdentifier(node)
        transaction = node.transaction
        self.children = children
        isRedacted = !node.environment.redactionReasons.isEmpty
    }

    /// Whether any of it can be seen.
    package var isVisible: Bool {
        !isHidden && opacity > 0 && (clip.map { $0.intersects(rect) } ?? true)
    }

    /// This element and all inside, from the back to the front.
    package var all: [Element] { [self] + children.flatMap(\.all) }

    mutating func changeAll(_ change: @MainActor (inout Element) -> Void) {
        change(&self)
        for index in children.indices { children[index].changeAll(change) }
    }

    package var image: Image? { if case .image(let image) = kind { image } else { nil } }
    package var text: String? { if case .text(let text) = kind { text } else { nil } }
    package var color: Color? { if case .color(let color) = kind { color } else { nil } }
    package var isProgress: Bool { if case .progress = kind { true } else { false } }
    package var action: (@MainActor () -> Void)? { if case .button(let action) = kind { action } else { nil } }
}

extension Element {
    /// What is left of this element in a rectangle.
    func clipped(to rect: CGRect) -> Element {
        var element = self
        element.changeAll { $0.clip = $0.clip.map { $0.intersection(rect) } ?? rect }
        return element
    }
}
