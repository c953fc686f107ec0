# SPDX-License-Identifier: Apache-2.0
# usage: test_documents.py SOURCE
# What users read is ten short pages, links between documents lead somewhere, and sources name documents that exist. A page
# that grows becomes two: what few need moves to docs/developers, and its history to docs/developers/lab.
import pathlib
import re
import sys
import unittest

USERS = ("install", "use", "worth-it", "programs", "troubleshooting", "hardware", "reference-device", "compare", "limits")
# Where sites that host code, or scripts, look for them.
OTHERS = ("README", "CHANGELOG", "CONTRIBUTING", "SECURITY")
LIMITS = {"README.md": 140} | {f"docs/{name}.md": 150 for name in (*USERS, *(f"developers/{name}" for name in (
    "capture-tools", "containers", "packages", "status", "number-formats", "proof", "proof-rules", "proof-results")))}
LINK = re.compile(r"\]\(([^()\s]+)\)")
BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
MARK = re.compile(r"\[([^]]*)\]\([^)]*\)")

NAMED = re.compile(r"(?<![\w./])docs/[\w/-]+\.(?:md|svg|json|1)\b")


def anchors(text):
    """The names by which links reach headings, as GitHub makes them."""
    heads = (MARK.sub(r"\1", head) for head in HEADING.findall(BLOCK.sub("", text)))
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def broken(page, pages, exists):
    """The links of a page that lead nowhere. PAGES: {path: text}; EXISTS: whether there is a file."""
    folder = pathlib.PurePosixPath(page).parent
    for link in LINK.findall(BLOCK.sub("", pages[page])):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        parts = []
        for part in (folder / path).parts if path else pathlib.PurePosixPath(page).parts:
            parts = parts[:-1] if part == ".." else parts + [part]
        target = "/".join(parts)
        if target in pages:
            if anchor and anchor not in anchors(pages[target]):
                yield link
        elif not exists(target):
            yield link


def missing(text, exists):
    """The documents that a source names, and that there are not."""
    return [name for name in NAMED.findall(text) if not exists(name)]


def too_long(pages):
    for page, limit in LIMITS.items():
        lines = pages.get(page, "").count("\n")
        if lines > limit:
            yield f"{page}: {lines} lines, {limit} are allowed"


class Rule(unittest.TestCase):
    def test_links(self):
        pages = {"README.md": "# A\n[b](docs/b.md#two-words) [none](docs/c.md)\n```\n[x](y)\n```\n",
                 "docs/b.md": "# Two `words`\n[up](../README.md#a) [self](#two-words) [bad](#three) "
                              "[file](f.svg) [away](https://example.org)\n"}
        self.assertEqual(list(broken("README.md", pages, lambda _: False)), ["docs/c.md"])
        self.assertEqual(list(broken("docs/b.md", pages, lambda path: path == "docs/f.svg")), ["#three"])

    def test_missing(self):
        text = "// docs/a.md, docs/developers/b.md and src/docs/c.md; $source/docs/d.md\n"
        self.assertEqual(missing(text, lambda name: name == "docs/a.md"), ["docs/developers/b.md"])

    def test_sources(self):
        folders = (".github", "cmake", "layer", "manifest", "reference", "rewrite", "scripts", "tests", "tools")
        files = (file for folder in folders for file in sorted((source / folder).rglob("*"))
                 if file.is_file() and file.parent.name not in ("rules", "modules", "__pycache__"))
        exists = {f"docs/{file.relative_to(source / 'docs').as_posix()}" for file in (source / "docs").rglob("*")}
        self.assertEqual([f"{file.relative_to(source)}: {name}" for file in files
                          for name in missing(file.read_text(errors="replace"), exists.__contains__)], [])

    def test_pages(self):
        self.assertEqual({file.stem for file in (source / "docs").glob("*.md")}, {*USERS, *OTHERS})
        developers = source / "docs/developers"
        listed = set(LINK.findall((developers / "README.md").read_text()))
        self.assertEqual({file.name for file in developers.glob("*.md")} - {"README.md"} - listed, set())

    def test_limits(self):
        self.assertEqual([page for page in LIMITS if not (source / page).is_file()], [])

    def test_lengths(self):
        self.assertEqual(list(too_long({"README.md": "x\n" * 141})), ["README.md: 141 lines, 140 are allowed"])
        self.assertEqual(list(too_long({"README.md": "x\n" * 140, "docs/other.md": "x\n" * 999})), [])

    def test_documents(self):
        files = [source / "README.md", *(source / "docs").rglob("*.md"), source / "scripts/README.md",
                 source / "tests/README.md"]
        pages = {file.relative_to(source).as_posix(): file.read_text() for file in files}
        wrong = [f"{page}: {link} leads nowhere" for page in pages
                 for link in broken(page, pages, lambda path: (source / path).exists())]
        self.assertEqual(wrong + list(too_long(pages)), [])


source = pathlib.Path(sys.argv.pop(1))
unittest.main()
