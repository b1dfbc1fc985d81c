import Calotype
import Foundation

/// The feed: the strip, its most telling moment, and the table.
extension DemoPage {
    func feedSection() throws -> String {
        """
        <section id="feed" aria-labelledby="feed-title">
        <h2 id="feed-title">The same feed, twice</h2>
        <div class="beside">
        <div>
        <p>\(report.rowCount.grouped) rows, scrolled down, up and down again. The strip has \
        \(strip.lanes.map(\.frames.count).max() ?? 0) moments of the way down and back up, the same of both sides. Grey is \
        a placeholder; <strong class="lost">pink is a placeholder for a picture that had been there</strong>.</p>
        <p class="note">AsyncImage&#39;s rules are those that Apple documents and developers have seen, not Apple&#39;s \
        code: a row begins empty, loads anew whenever it comes into view, and decodes all of the picture. Both sides have \
        the same transport and decoders, and keep responses as HTTP says. Calotype&#39;s list also prefetches the \
        \(FeedPrefetch.reach) rows next to those in view.</p>
        </div>
        \(try closeUp())
        </div>
        <figure>
        <div class="strip" tabindex="0" role="region" aria-label="Film strip, scrolls sideways">
        <img src="\(HTML.dataURL(stripFile, type: "image/png"))" width="\(stripSize.width)" height="\(stripSize.height)" \
        alt="\(HTML.escaped(stripText))">
        </div>
        <figcaption>AsyncImage&#39;s rules above, Calotype below. Scroll sideways.</figcaption>
        </figure>
        \(feedTable)
        </section>
        """
    }

    /// The moment at which most is lost on one side, and the same moment of the others; empty if nothing is.
    private func closeUp() throws -> String {
        let moments = strip.lanes.first?.frames.indices.map { moment in
            (moment, strip.lanes.map { lane in lost(in: lane.frames[moment]) }.max() ?? 0)
        }
        guard let (moment, height) = moments?.max(by: { $0.1 < $1.1 }), height > 0 else { return "" }
        let phones = try strip.lanes.map { lane in
            let frame = lane.frames[moment]
            let time = FilmStrip.time(of: frame).replacing(" ", with: "\u{A0}")
            let caption = "\(lane.title), \(time)"
            return try phone(
                PhoneDrawing(layout: strip.layout, scale: FilmStrip.scale).bitmap(of: frame), caption,
                text: "\(caption): \(Self.placeholders(in: [frame]))")
        }
        return "<div class=\"scenes\">\(phones.joined(separator: "\n"))</div>"
    }

    /// How much is seen of placeholders for pictures that had been there, in points.
    private func lost(in frame: FilmFrame) -> Double {
        let rows = frame.rows.filter { $0.picture == nil && $0.hadPicture }
        let (height, end) = (strip.layout.rowHeight, strip.layout.viewportHeight)
        return rows.map { max(0, min($0.top + height, end) - max($0.top, 0)) }.reduce(0, +)
    }

    private static func placeholders(in frames: [FilmFrame]) -> String {
        let rows = frames.flatMap(\.rows).filter { $0.picture == nil }
        return
            "\(rows.count.grouped) placeholders, \(rows.count(where: \.hadPicture).grouped) of them for pictures that had been there."
    }

    /// The strip in words.
    private var stripText: String {
        strip.lanes.map { "\($0.title), in \($0.frames.count) frames: \(Self.placeholders(in: $0.frames))" }
            .joined(separator: " ")
    }

    private var feedTable: String {
        let heads = report.feed.sides.map { "<th scope=\"col\">\(HTML.escaped($0.side.title))</th>" }.joined()
        let rows = report.feed.lines.map { line in
            let name = line.name.trimmingCharacters(in: .whitespaces)
            let head = "<th scope=\"row\"\(line.name.hasPrefix(" ") ? " class=\"sub\"" : "")>\(HTML.escaped(name))</th>"
            let cells = (line.figures + [line.ratio]).map { "<td>\(HTML.escaped($0))</td>" }
            return "<tr>\(head)\(cells.joined())</tr>"
        }
        return """
            <div class="table" tabindex="0" role="region" aria-label="What the feed took">
            <table id="feed-table">
            <caption>What the feed took</caption>
            <thead><tr><td></td>\(heads)<th scope="col"><abbr title="How much more the first took">ratio</abbr></th></tr></thead>
            <tbody>
            \(rows.joined(separator: "\n"))
            </tbody>
            </table>
            </div>
            """
    }
}
