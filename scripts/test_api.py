"""The check of the public interface finds what changes, and nothing else: `make api-check` runs it."""

import contextlib
import io
import subprocess
import tempfile
import unittest
from pathlib import Path

import api

SOURCE = """
public struct Shelf<Book: Sendable>: Sendable {
    public enum Order: String, Sendable { case title, year }
    public var books: [Book] { [] }
    public init(limit: Int = 3) {}
    func secret() {}
    package func almost() {}
}
extension Shelf where Book == String {
    public func longest() -> String? { nil }
}
public protocol Reader {
    func read() async throws -> Int
}
extension Reader {
    public func skip() {}
}
extension Int {
    @available(*, deprecated, message: "Use another.")
    public var pages: Int { self }
}
@MainActor public func open(_ name: String) {}
"""

INTERFACE = """The public interface of Library, written by `make api`.

module
    @MainActor func open(_ name: String)

extension Int
    @available(*, deprecated) var pages: Int { get }

protocol Reader
    func skip()
    required func read() async throws -> Int

struct Shelf<Book> where Book : Sendable
    : Sendable
    func longest() -> String? where Book == String
    init(limit: Int = 3)
    var books: [Book] { get }

enum Shelf.Order
    : Equatable
    : Hashable
    : RawRepresentable
    : Sendable
    case title
    case year
    init?(rawValue: String)
"""


class APITests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, value in (("FILES", self.folder / "API"), ("LIBRARIES", ["Library"]), ("BUILDS", {"Here": self.folder})):
            self.addCleanup(setattr, api, name, getattr(api, name))
            setattr(api, name, value)

    def build(self, source):
        file = self.folder / "Library.swift"
        file.write_text(source)
        subprocess.run(
            ["swiftc", "-emit-module", "-parse-as-library", "-swift-version", "6", "-package-name", "library",
             "-module-name", "Library", "-emit-module-path", self.folder / "Library.swiftmodule", file], check=True)

    def run_api(self, command):
        """The exit's message, or None, and what was printed as errors."""
        errors = io.StringIO()
        try:
            with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
                api.main([command])
        except SystemExit as end:
            return end.code, errors.getvalue()
        return None, errors.getvalue()

    def test_changes_are_found_and_named(self):
        self.build(SOURCE)
        self.run_api("write")
        self.assertEqual((self.folder / "API/Library.txt").read_text(), INTERFACE)
        self.assertEqual(self.run_api("check"), (None, ""))

        # What isn't public may change, as may the order.
        parts = SOURCE.replace("func secret() {}", "func other() {}").split("public protocol", 1)
        self.build("public protocol" + parts[1] + parts[0])
        self.assertEqual(self.run_api("check"), (None, ""))

        for old, new, lines in (
            ("limit: Int = 3", "limit: Int = 4", ["- {S}  >  init(limit: Int = 3)", "+ {S}  >  init(limit: Int = 4)"]),
            ("@MainActor public", "public", ["- module  >  @MainActor func open(_ name: String)",
                                             "+ module  >  func open(_ name: String)"]),
            ("case title, year", "case title", ["- enum Shelf.Order  >  case year"]),
            ("func read() async throws", "func read() async", ["- protocol Reader  >  required func read() async throws -> Int",
                                                               "+ protocol Reader  >  required func read() async -> Int"]),
            ("package func almost", "public func almost", ["+ {S}  >  func almost()"]),
        ):
            with self.subTest(new):
                self.build(SOURCE.replace(old, new))
                end, errors = self.run_api("check")
                self.assertIn("CHANGELOG", end)
                expected = [line.replace("{S}", "struct Shelf<Book> where Book : Sendable") for line in lines]
                self.assertEqual(errors.splitlines()[1:], ["  " + line for line in expected])

    def test_a_module_that_is_not_there_is_no_success(self):
        end, _ = self.run_api("check")
        self.assertIn("make api", end)

    def test_what_one_build_alone_has_says_so(self):
        lines = api.merged({"Linux": {("A", "x"), ("A", "y")}, "UIKit": {("A", "x")}, "AppKit": {("A", "x"), ("A", "z")}})
        self.assertEqual(lines, {("A", "x"), ("A", "y  [Linux]"), ("A", "z  [AppKit]")})


if __name__ == "__main__":
    unittest.main()
