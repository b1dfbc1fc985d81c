import Foundation
package import SwiftUI

/// What was shown at one moment.
@MainActor
package struct Frame {
    /// Counted from 1.
    package let number: Int
    /// What is drawn, from the back to the front.
    package let roots: [Element]
    /// What was inserted or removed, or is drawn with another content, since the frame before.
    package let changes: [Change]
    /// How many bodies of views were evaluated for this frame.
    package let bodyEvaluations: Int

    /// One difference to the frame before.
    package struct Change {
        package enum Kind: Hashable, Sendable { case inserted, removed, updated }
        package let kind: Kind
        package let ids: [AnyHashable]
        /// The view's type.
        package let view: String
        /// The animation of the transaction in which it happened.
        package let animation: Animation?
        package let disablesAnimations: Bool
        /// The name of the transition that the view was given, if any.
        package let transition: String?
    }

    /// Everything that is drawn, containers included.
    package var elements: [Element] { roots.flatMap(\.all) }

    /// What lies in the views with an identity, given with `id(_:)` or through `ForEach`.
    package func elements(id: some Hashable) -> [Element] {
        let id = AnyHashable(id)
        return elements.filter { $0.ids.contains(id) }
    }

    package var images: [Image] { elements.compactMap(\.image) }
    package var texts: [String] { elements.compactMap(\.text) }
    package var showsProgress: Bool { elements.contains(where: \.isProgress) }

    package func images(id: some Hashable) -> [Image] { elements(id: id).compactMap(\.image) }
    package func texts(id: some Hashable) -> [String] { elements(id: id).compactMap(\.text) }

    /// The button whose label holds a text, or that has it for its accessibility label.
    package func button(_ label: String, id: AnyHashable? = nil) -> Element? {
        elements.first { element in
            element.action != nil && (id.map { element.ids.contains($0) } ?? true)
                && element.all.contains { $0.text == label || $0.accessibilityLabel == label }
        }
    }
}

extension Frame {
    /// One line for each element, indented by depth.
    package var description: String {
        var lines = ["frame \(number)"]
        func add(_ element: Element, _ indent: String) {
            let rect = element.rect
            let ids = element.ids.isEmpty ? "" : " " + element.ids.map { "\($0)" }.joined(separator: "/")
            lines.append("\(indent)\(element.summary)\(ids) [\(rect.minX) \(rect.minY) \(rect.width) \(rect.height)]")
            for child in element.children { add(child, indent + "  ") }
        }
        for root in roots { add(root, "  ") }
        return lines.joined(separator: "\n")
    }
}

extension Element {
    /// What is drawn, in a few words.
    package var summary: String {
        switch kind {
        case .image(let image): "image \(image.size.width)x\(image.size.height)"
        case .text(let text): "text \"\(text)\""
        case .color(let color): "color \(color)"
        case .shape(let name): "shape \(name)"
        case .progress(let fraction): fraction.map { "progress \($0)" } ?? "progress"
        case .button: "button"
        case .container(let name): name
        }
    }

    /// Whether it is the same to the eye, wherever it lies.
    func draws(theSameAs other: Element) -> Bool {
        switch (kind, other.kind) {
        case (.image(let left), .image(let right)): left == right
        case (.button, .button): true
        default: summary == other.summary
        }
    }
}
