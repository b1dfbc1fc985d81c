import Calotype
import Testing

@testable import CalotypeTool

@Suite("calo: arguments")
struct ToolArgumentTests {
    struct SizeCase: CustomTestStringConvertible, Sendable {
        let text: String
        /// `nil`: refused.
        let size: SizeArgument?
        var testDescription: String { "--size \(text)" }

        init(_ text: String, _ size: SizeArgument?) {
            self.text = text
            self.size = size
        }

        static let all = [
            SizeCase("original", .original),
            SizeCase("264x264", .pixels(width: 264, height: 264)),
            SizeCase("264x", .pixels(width: 264, height: nil)),
            SizeCase("x264", .pixels(width: nil, height: 264)),
            SizeCase("1x1000000", .pixels(width: 1, height: 1_000_000)),
            SizeCase("88x88@3x", .points(width: 88, height: 88, scale: 3)),
            SizeCase("88x@1.5x", .points(width: 88, height: nil, scale: 1.5)),
            SizeCase("x44.5@2x", .points(width: nil, height: 44.5, scale: 2)),
            SizeCase("", nil), SizeCase("x", nil), SizeCase("264", nil), SizeCase("x@2x", nil),
            SizeCase("0x0", nil), SizeCase("-1x5", nil), SizeCase("5.5x5", nil), SizeCase("1e3x5", nil),
            SizeCase("0x10x5", nil), SizeCase("1000001x1", nil), SizeCase("99999999999999999999x1", nil),
            SizeCase("88x88@", nil), SizeCase("88x88@3", nil), SizeCase("88x88@x", nil), SizeCase("88x88@0x", nil),
            SizeCase("88x88@17x", nil), SizeCase("88x88@3x@3x", nil), SizeCase("nanxinf@2x", nil),
            SizeCase("0.5x1@2x", nil), SizeCase("..x1@2x", nil), SizeCase("٣x٣", nil),
        ]
    }

    @Test("sizes", arguments: SizeCase.all)
    func size(_ row: SizeCase) {
        #expect((try? SizeArgument(row.text)) == row.size)
    }

    @Test("the mode is fill unless fit is asked for")
    func mode() throws {
        #expect(try LoadOptions(["--size", "10x20", "a"]).requestSize == .pixels(10, 20, .fill))
        #expect(try LoadOptions(["--size=10x20@2x", "-m", "fit", "a"]).requestSize == .points(10, 20, scale: 2, .fit))
        #expect(try LoadOptions(["a"]).requestSize == .original)
    }

    @Test("options and operands mix, values stand beside or inside, and -- ends the options")
    func order() throws {
        let options = try LoadOptions(["a", "-j4", "b", "--output=out", "-f", "jpeg", "-q", "5", "--", "-c"])
        #expect(options.operands == ["a", "b", "-c"])
        #expect(options.jobCount == 4)
        #expect(options.outputFolder == "out")
        #expect(options.output == .jpeg(quality: 5))
    }

    @Test(
        "what makes no sense is refused, with the way out",
        arguments: [
            ([], "Name URLs"), (["--sise", "1x1", "a"], "--size"), (["--size"], "needs a value"),
            (["--json=1", "a"], "takes no value"), (["--jobs", "0", "a"], "1 to 256"),
            (["--jobs", "+1", "a"], "1 to 256"),
            (["--mode", "stretch", "a"], "fit or fill"), (["--mode", "fit", "a"], "--size"),
            (["--format", "png", "a"], "--output"), (["-o", "x", "-q", "5", "a"], "--format jpeg"),
            (["-o", "x", "--format", "gif", "a"], "png or jpeg"), (["--output=", "a"], "folder"),
            (["-z", "a"], "no option"),
        ] as [([String], String)])
    func refusal(_ arguments: [String], _ hint: String) {
        let error = #expect(throws: UsageError.self) { try LoadOptions(arguments) }
        #expect(error?.message.contains(hint) == true, "\(error?.message ?? "")")
    }

    @Test("a header is a token, a colon and a value; its value is never repeated in a message")
    func header() throws {
        #expect(try HeaderArgument("Accept:  image/png ") == HeaderArgument("Accept: image/png"))
        #expect(try HeaderArgument("Authorization: Basic a:b==").value == "Basic a:b==")
        #expect(try HeaderArgument("X-Empty:").value == "")
        for text in ["secret", "a b: secret", ": secret", "A: secret\r\nB: c", "A: secret\0", "Ä: secret"] {
            let error = #expect(throws: UsageError.self) { try HeaderArgument(text) }
            #expect(error?.message.contains("secret") == false)
        }
    }

    @Test("a message never repeats what may be a URL with a password")
    func quoting() {
        #expect(!UsageError.quoted("http://user:hunter2@example.com/").contains("hunter2"))
        #expect(!UsageError.quoted("user:hunter2@example.com").contains("hunter2"))
        #expect(UsageError.quoted("88x88@x") == "\"88x88@x\"")
        #expect(UsageError.quoted("\u{1B}[31m") == "\"\\u{1b}[31m\"")
    }
}
