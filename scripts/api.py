#!/usr/bin/env python3
"""The public interface of the package's libraries, as text that is checked in: API/MODULE.txt.

  scripts/api.py write    write the files anew
  scripts/api.py check    compare them with what has been built; exit status 1 and the lines that differ if they do

It reads the modules that `make build` and `make typecheck-apple` have left, through symbol graphs: `make api` and
`make api-check` see to that. A block is a type, or what is added to another module's; its lines are the members, with
their attributes and default values. What isn't there in every build says where it is: [UIKit] is what stands for the
platforms with UIKit (see Support/AppleShims), [AppKit] for macOS.
"""

import difflib
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILES = ROOT / "API"
LIBRARIES = ["Calotype", "CalotypeUI", "CalotypeTesting"]
BUILDS = {
    "Linux": ROOT / ".build/debug/Modules",
    "UIKit": ROOT / ".build/apple-shims/UIKit",
    "AppKit": ROOT / ".build/apple-shims/AppKit",
}
TYPES = {f"swift.{kind}" for kind in ("struct", "enum", "class", "protocol", "actor")}
# Begins the line that is a block's head.
HEAD = "= "
# Every type has them that says nothing else, or that has Sendable.
IMPLIED = {"Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype"}


def module_map_flags():
    maps = [*ROOT.glob("Sources/*/module.modulemap"), *ROOT.glob(".build/debug/CCodecs*.build/module.modulemap")]
    flags = [f"-fmodule-map-file={path}" for path in sorted(maps)] + [f"-I{ROOT}/Sources/CCodecs/include"]
    return [word for flag in flags for word in ("-Xcc", flag)]


def symbol_graphs(module, folder, flags=()):
    """The graphs of a built module: its own, and one for each module whose types it extends."""
    info = json.loads(subprocess.check_output(["swiftc", "-print-target-info"]))
    with tempfile.TemporaryDirectory() as output:
        command = ["swift-symbolgraph-extract", "-module-name", module, "-I", folder, "-output-dir", output]
        command += ["-target", info["target"]["triple"], "-minimum-access-level", "public", "-skip-synthesized-members"]
        run = subprocess.run([*command, *flags], capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"api: there is no interface of {module} in {folder}: {run.stderr.strip()}")
        return [json.loads(path.read_text()) for path in sorted(Path(output).glob("*.symbols.json"))]


def condition(constraints, said=""):
    """" where Content : View" and the like, without what has been said."""
    words = {"conformance": ":", "sameType": "==", "superclass": ":"}
    parts = sorted(f"{c['lhs']} {words[c['kind']]} {c['rhs']}" for c in constraints or [])
    parts = [part for part in parts if part not in said]
    return f" where {', '.join(parts)}" if parts else ""


def availability(symbol):
    """"@available(iOS 26) " and the like, in front of a declaration."""
    words = []
    for item in symbol.get("availability", []):
        terms = [item.get("domain", "*")]
        for key in ("introduced", "deprecated", "obsoleted"):
            if key in item:
                terms.append(key + " " + ".".join(str(item[key][part]) for part in ("major", "minor") if part in item[key]))
        terms += [word for key, word in (("isUnconditionallyDeprecated", "deprecated"),
                                         ("isUnconditionallyUnavailable", "unavailable")) if item.get(key)]
        words.append(f"@available({', '.join(terms)}) ")
    return "".join(sorted(words))


def interface(graphs):
    """The lines of a module, each with its block: the name of the type that it is about, "" for what is in none."""
    lines = set()
    relations = [relation for graph in graphs for relation in graph["relationships"]]
    symbols = {symbol["identifier"]["precise"]: symbol for graph in graphs for symbol in graph["symbols"]}
    names = {identifier: ".".join(symbol["pathComponents"]) for identifier, symbol in symbols.items()}
    required = {relation["source"] for relation in relations if relation["kind"] == "requirementOf"}
    heads = {names[identifier]: declaration(symbol) for identifier, symbol in symbols.items()}
    for identifier, symbol in symbols.items():
        if symbol["kind"]["identifier"] in TYPES:
            # `struct Size` of ImageRequest is a block by its full name.
            simple = rf"\b{re.escape(symbol['pathComponents'][-1])}\b"
            head = re.sub(simple, lambda _: names[identifier], declaration(symbol), count=1)
            lines.add((names[identifier], HEAD + head))
        else:
            block, own = ".".join(symbol["pathComponents"][:-1]), declaration(symbol)
            where = condition(symbol.get("swiftExtension", {}).get("constraints"), said=own + heads.get(block, ""))
            lines.add((block, ("required " if identifier in required else "") + own + where))
    for relation in relations:
        if relation["kind"] in ("conformsTo", "inheritsFrom") and relation.get("targetFallback") not in IMPLIED:
            source, target = (
                names.get(relation[end]) or relation.get(f"{end}Fallback", relation[end]) for end in ("source", "target"))
            lines.add((source, f": {target.removeprefix('Swift.')}{condition(relation.get('swiftConstraints'))}"))
    return lines


def declaration(symbol):
    access = "open " if symbol["accessLevel"] == "open" else ""
    fragments = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
    return access + availability(symbol) + " ".join(fragments.split())


def merged(by_build):
    """Each line once; those that not every build has say which have."""
    builds = {}
    for build, lines in by_build.items():
        for line in lines:
            builds.setdefault(line, []).append(build)
    return {(block, line + (f"  [{', '.join(found)}]" if len(found) < len(by_build) else ""))
            for (block, line), found in builds.items()}


def text(module, lines):
    """A block's head, then what it conforms to, then its members."""
    blocks = {}
    for block, line in lines:
        blocks.setdefault(block, []).append(line)
    out = [f"The public interface of {module}, written by `make api`."]
    for block in sorted(blocks):
        heads = sorted(line.removeprefix(HEAD) for line in blocks[block] if line.startswith(HEAD))
        members = sorted((line for line in blocks[block] if not line.startswith(HEAD)),
                         key=lambda line: (not line.startswith(": "), line))
        out += ["", *(heads or [f"extension {block}" if block else "module"]), *("    " + line for line in members)]
    return "\n".join(out) + "\n"


def named(text):
    """The lines with the type that they are in, so that a difference says it."""
    block = ""
    for line in text.splitlines()[1:]:
        if line and not line.startswith(" "):
            block = line
            yield line
        elif line:
            yield f"{block}  >  {line.strip()}"


def difference(old, new):
    """What has gone and what has come, in order, with the types that it is in."""
    matched = difflib.ndiff(list(named(old)), list(named(new)))
    return [line for line in matched if line[:2] in ("- ", "+ ")]


def built(module):
    flags = module_map_flags()
    folders = {build: folder for build, folder in BUILDS.items() if (folder / f"{module}.swiftmodule").exists()}
    if not folders:
        sys.exit(f"api: {module} hasn't been built: run make api.")
    return text(module, merged({build: interface(symbol_graphs(module, folder, flags)) for build, folder in folders.items()}))


def main(arguments):
    if arguments not in (["write"], ["check"]):
        sys.exit(__doc__.strip())
    FILES.mkdir(exist_ok=True)
    changed = False
    for module in LIBRARIES:
        file = FILES / f"{module}.txt"
        old, new = file.read_text() if file.exists() else "", built(module)
        changes = difference(old, new)
        if arguments == ["write"]:
            file.write_text(new)
            print(f"API/{module}.txt: {len(new.splitlines())} lines, {len(changes)} changed")
        elif old != new:
            changed = True
            print(f"The public interface of {module} isn't as API/{module}.txt says:", file=sys.stderr)
            print("\n".join("  " + line for line in changes), file=sys.stderr)
    if changed:
        sys.exit("If that is meant, run make api, and say so in CHANGELOG.md.")


if __name__ == "__main__":
    main(sys.argv[1:])
