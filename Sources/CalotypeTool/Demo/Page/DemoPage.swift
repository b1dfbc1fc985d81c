import Calotype
import Foundation

/// The whole demonstration on one page: it needs no other file and no network.
///
/// What is text comes in through ``HTML/escaped(_:)``, and what are pictures as `data:` URLs. Every number is one of the
/// report's. Nothing on it runs but the waterfall, a page in a frame of its own.
struct DemoPage {
    let report: DemoReport
    let strip: FilmStrip
    /// The strip as a PNG file.
    let stripFile: Data
    let stripSize: PixelSize
    /// A page that shows every load of the acts.
    let waterfall: String
    let date: Date
    /// What the demonstration took so far.
    let duration: Duration

    /// The document.
    func html() throws -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta http-equiv="Content-Security-Policy" content="\(Self.securityPolicy)">
        <title>Calotype: what becomes of images</title>
        <style>
        \(Self.style)
        </style>
        </head>
        <body>
        <a class="skip" href="#feed">Skip to the feed</a>
        \(header)
        <main>
        \(try feedSection())
        \(try storySection())
        \(waterfallSection)
        </main>
        \(footer)
        </body>
        </html>

        """
    }

    /// Nothing is fetched from anywhere. The frame has to obey this policy as well as its own.
    private static let securityPolicy =
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

    // MARK: Head

    private var header: String {
        """
        <header>
        <p class="kicker">calo demo</p>
        <h1>What becomes of images</h1>
        <p class="lead">One feed, scrolled twice: by AsyncImage&#39;s rules and by Calotype. Then one screen, over \
        launches, with a picture that changes, without a network, and when its owner signs out. Everything here was \
        measured in one run, and checked.</p>
        <dl class="figures">
        \(figures.map { "<div><dt>\(HTML.escaped($0.name))</dt><dd>\($0.value)</dd></div>" }.joined(separator: "\n"))
        </dl>
        <nav aria-label="On this page"><a href="#feed">The feed</a> <a href="#acts">The acts</a> \
        <a href="#summary">Summary</a> <a href="#waterfall">Waterfall</a></nav>
        </header>
        """
    }

    /// What to remember, if nothing else. The values are HTML.
    private var figures: [(name: String, value: String)] {
        func both(_ value: (FeedReport) -> Int) -> String {
            let values = report.sides.map { value($0.report).grouped }
            return values.joined(separator: " <span class=\"to\">&rarr;</span> ")
        }
        var figures = [
            (
                name: "placeholders for pictures that had been there: AsyncImage's rules, then Calotype",
                value: both(\.record.flashCount)
            ),
            (
                name: "pictures decoded for the same feed: AsyncImage's rules, then Calotype",
                value: both(\.decodes.decodeCount)
            ),
        ]
        if let act = report.acts.first(where: { $0.name == .warmStart }) {
            figures += [
                (
                    name: "rows with something to show in the first frame of a new launch",
                    value: "\(act.shownAtOnceCount.grouped) of \(act.rowCount.grouped)"
                ),
                (name: "bytes of pictures sent to that launch", value: act.traffic.byteCount.grouped),
            ]
        }
        return figures
    }

    private var footer: String {
        let claims = report.acts.flatMap(\.claims)
        let verdict =
            report.failures.isEmpty
            ? "All \(claims.count.grouped) claims on this page hold."
            : "\(report.failures.count.grouped) claims on this page don&#39;t hold."
        return """
            <footer>
            <p>\(verdict) Made by <code>calo demo</code> on \(HTML.escaped(date.formatted(.iso8601))), in \
            \(HTML.escaped((duration.millisecondCount / 1_000).figure)) s. The pictures came from 127.0.0.1, each \
            \(FeedServer.latencyMilliseconds) ms after it was asked for: nothing left this machine. The photos are in the \
            public domain or under CC0.</p>
            </footer>
            """
    }

    // MARK: Parts

    /// A phone's picture with what it is, and in words for who doesn't see it.
    func phone(_ bitmap: Bitmap, _ caption: String, text: String) throws -> String {
        let file = try ImageEncoder().encoded(DecodedImage(bitmap: bitmap), as: .jpeg(quality: 85))
        return """
            <figure class="phone"><img src="\(HTML.dataURL(file, type: "image/jpeg"))" width="\(bitmap.size.width)" \
            height="\(bitmap.size.height)" alt="\(HTML.escaped(text))"><figcaption>\(HTML.escaped(caption))</figcaption>\
            </figure>
            """
    }
}

extension String {
    /// With a capital at the beginning, as a sentence has it.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
