import Calotype
import Foundation

/// The acts, their table, and the waterfall of their loads.
extension DemoPage {
    func storySection() throws -> String {
        """
        <section id="acts" aria-labelledby="acts-title">
        <h2 id="acts-title">One screen, six acts</h2>
        <p>The same store on disk throughout. Each launch has a new pipeline, with a memory and connections of its own.</p>
        <ol class="acts">
        \(try report.acts.map(card).joined(separator: "\n"))
        </ol>
        </section>
        <section id="summary" aria-labelledby="summary-title">
        <h2 id="summary-title">Summary</h2>
        \(storyTable)
        <p class="note"><em>At once</em> are rows that showed their picture, or its impression, in the first frame: an \
        impression is what 25 bytes remember of a picture&#39;s colours. It took from the first frame to the one after \
        which nothing more was to come; at the sign-out, until everything was erased.</p>
        </section>
        """
    }

    var waterfallSection: String {
        """
        <section id="waterfall" aria-labelledby="waterfall-title">
        <h2 id="waterfall-title">Every load of the acts</h2>
        <p>As the pipelines&#39; recorder has them: one row a load, with the time of each stage, and the reason in words. \
        What failed was asked for offline, or to see whether anything was left of the account that had signed out.</p>
        <iframe title="The loads of the acts, as a waterfall" sandbox="allow-scripts" \
        srcdoc="\(HTML.escaped(waterfall))"></iframe>
        </section>
        """
    }

    private func card(_ act: Act) throws -> String {
        let scenes = try act.scenes.map { scene in
            let layout = FeedLayout(rowCount: act.rowCount, viewportHeight: Double(act.rowCount) * 88)
            return try phone(
                PhoneDrawing(layout: layout, scale: 1).bitmap(of: scene.frame), scene.caption,
                text: Self.text(of: scene))
        }
        let claims = act.claims.map { claim in
            claim.holds
                ? """
                <li><span class="mark" aria-hidden="true">&#10003;</span><span>\(HTML.escaped(claim.text.capitalizedFirst)): \
                <b>\(HTML.escaped(claim.found))</b></span></li>
                """
                : """
                <li class="fails"><span class="mark" aria-hidden="true">&#10007;</span><span><b>Not so:</b> \
                \(HTML.escaped(claim.failure))</span></li>
                """
        }
        return """
            <li class="act">
            <div>
            <h3>\(HTML.escaped(act.name.rawValue.capitalizedFirst))</h3>
            <p>\(HTML.escaped(act.plot))</p>
            <ul class="claims">
            \(claims.joined(separator: "\n"))
            </ul>
            </div>
            <div class="scenes">
            \(scenes.joined(separator: "\n"))
            </div>
            </li>
            """
    }

    /// A scene in words.
    private static func text(of scene: Act.Scene) -> String {
        let rows = scene.frame.rows
        let pictures = rows.count { $0.picture != nil }
        let failures = rows.count(where: \.hasFailed)
        return """
            \(scene.caption): of \(rows.count) rows, \(pictures) show a picture or an impression, \(failures) a failure, \
            and \(rows.count - pictures - failures) nothing.
            """
    }

    private var storyTable: String {
        let heads = StoryTable.columns.map { "<th scope=\"col\">\(HTML.escaped($0))</th>" }.joined()
        let rows = report.acts.map { act in
            let cells = StoryTable.figures(of: act).map { "<td>\(HTML.escaped($0))</td>" }.joined()
            return "<tr><th scope=\"row\">\(HTML.escaped(act.name.rawValue))</th>\(cells)</tr>"
        }
        return """
            <div class="table" tabindex="0" role="region" aria-label="What the acts took">
            <table id="story-table">
            <caption>What the acts took</caption>
            <thead><tr><td></td>\(heads)</tr></thead>
            <tbody>
            \(rows.joined(separator: "\n"))
            </tbody>
            </table>
            </div>
            """
    }
}
