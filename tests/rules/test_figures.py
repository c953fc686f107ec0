# SPDX-License-Identifier: Apache-2.0
# usage: test_figures.py SOURCE
# What users read states a speed in tables of scripts/tables only, so that a figure has one place and one value; other
# pages link there. Pages of measurements may say more, each section with its date; and the history of what is released.
# How long the project's own scripts take depends on the machine and changes: it stands with its date.
import json
import pathlib
import re
import sys
import unittest

MEASUREMENTS = {f"docs/developers/{name}.md" for name in ("benchmarks", "fleet", "conformance")}
HISTORY = "docs/CHANGELOG.md"
TESTS = "docs/CONTRIBUTING.md"
DATE = re.compile(r"\b20\d\d-\d\d\b")
TABLE = re.compile(r"<!-- table: (\w+) -->.*?<!-- end of table -->", re.DOTALL)
# What makes each row of a file of measurements a subject of its own.
SUBJECTS = {"auto": ("device", "program"), "idle": ("device", "command"), "llama": ("device", "model", "matrices"),
            "selftest": ("device", "driver", "version"), "tune": ("device", "driver", "version"), "speed": ("extension", "compared", "work", "times")}

NUMBER = r"\d+(?:[.,]\d+)?(?: \([^)]*\))?"
MANY = rf"{NUMBER}(?:(?:,|,? and|,? or| to) {NUMBER})*"
SPEED = re.compile("|".join((
    rf"{MANY} times (?:as (?:fast|slow)|the speed|plain|that of|faster|slower)",
    rf"{MANY} (?:of|times) the speed",
    rf"{MANY} ?(?:%|percent) (?:as fast|faster|slower|more speed|less speed|of (?:its|the) speed)",
    r"(?:twice|half|(?:two|three|four|five|six|ten) times) (?:as (?:fast|slow)|(?:its|the) speed|faster|slower)",
    rf"(?:faster|slower|as fast)[^.;|]* by (?:a factor of )?{MANY}",
    rf"{MANY} times the time\b",
    r"(?:half|quarters?|thirds?) of the time\b",
    rf"{MANY} (?:tokens|frames|images)(?:/s| (?:a|per) second)",
    rf"{MANY} [KMGT]?FLOP(?:S|/s)")))


def prose(text):
    """A page without its tables of measurements, in one line."""
    return " ".join(re.sub(r"^# ?", "", line) for line in TABLE.sub("", text).split("\n"))


def figures(pages):
    """{path: text}: the speeds that stand outside tables of measurements."""
    return [f"{path}: {match[0]}" for path, text in sorted(pages.items()) if path not in MEASUREMENTS
            for match in SPEED.finditer(prose(text))]


CELL = re.compile(r"^\|.*\|\s*\**\d+\.\d+\**\s*[,;:|x]", re.MULTILINE)


def cells(pages):
    """Users' pages with a measured number in a table that no script writes."""
    return [path for path, text in sorted(pages.items()) if path.count("/") < 2 and path != HISTORY and path != TESTS
            and CELL.search(TABLE.sub("", text))]


SOME = r"(?:\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|twenty|half an|an)"
DURATION = re.compile(rf"(?<!for )\b{SOME}(?:(?: to|,? and|,) {SOME})* (?:s|seconds|minutes|hours?)\b")
SCRIPT = re.compile(r"\bscripts/(?:demo|test|build|setup)\b|\bdemo\b")


def undated(pages):
    """Sections of measurements, and durations of scripts, without a date."""
    for path, text in sorted(pages.items()):
        if path in MEASUREMENTS:
            for section in re.split(r"^(?=##* )", TABLE.sub("", text), flags=re.MULTILINE):
                if SPEED.search(prose(section)) and not DATE.search(section):
                    yield f"{path}: {section.splitlines()[0]}"
        elif path != HISTORY:
            for paragraph in re.split(r"\n\n|\n(?=[-|])", re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
                for sentence in re.split(r"(?<=[.;]) ", prose(paragraph)):
                    found = DURATION.search(sentence)
                    if found and SCRIPT.search(sentence) and not DATE.search(paragraph):
                        yield f"{path}: {found[0]}"


def unreleased(text):
    """The part of the history that may still change."""
    return text[:[match.start() for match in re.finditer(r"^## ", text, re.MULTILINE)][1]]


def twice(name, rows):
    """The subjects of a file of measurements that have several rows."""
    keys = [tuple(row[key] for key in SUBJECTS[name]) for row in rows]
    return sorted({key for key in keys if keys.count(key) > 1}, key=str)


def tables(pages):
    return sorted(name for text in pages.values() for name in TABLE.findall(text))


class Figures(unittest.TestCase):
    def test_finds_figures(self):
        for text in ("1.54 times the speed of", "1.26 (q4_0) and 1.98 (q8_0) times as fast as", "0.82 of the\nspeed of",
                     "have 2.08 times the\nspeed", "166 and 167 tokens/s", "1.3 to 1.8 times the speed", "31 TFLOP/s",
                     "120 tokens a second", "twice as fast as", "8 % slower than", "30 percent faster", "half the speed of",
                     "three times the\nspeed of", "0.8 to 0.95 times\nthe time", "three quarters of the time"):
            self.assertEqual(len(figures({"README.md": f"It has {text} plain."})), 1, text)
            self.assertEqual(figures({"docs/developers/benchmarks.md": text}), [])
            self.assertEqual(figures({"README.md": f"<!-- table: x -->\n{text}\n<!-- end of table -->\n"}), [])
        for text in ("It takes 2 ms, 10 times.", "three times each", "16 to 64 lanes", "faster in 2026"):
            self.assertEqual(figures({"README.md": text}), [], text)

    def test_finds_cells(self):
        row = "| ggml | **1.93**, 8 waves | 1.60 |\n"
        self.assertEqual(cells({"docs/a.md": row}), ["docs/a.md"])
        self.assertEqual(cells({"docs/developers/a.md": row, "README.md": "| a | Vulkan 1.4 | 1,024 |\n"}), [])
        self.assertEqual(cells({"docs/a.md": f"<!-- table: x -->\n{row}<!-- end of table -->\n"}), [])

    def test_finds_undated(self):
        for text in ("`scripts/demo` takes four minutes on two cores.", "The demo takes 164 s.", "scripts/test: half an hour"):
            self.assertEqual(len(list(undated({"README.md": f"It is so. {text} It is."}))), 1, text)
            self.assertEqual(list(undated({"README.md": f"It is so. {text} It is (2026-11-29)."})), [])
        self.assertEqual(list(undated({"README.md": "scripts/test is long. Rows take 3 s."})), [])
        section = "# A\n2026-11\n## B\n\nIt has 1.5 times the speed of C.\n"
        self.assertEqual(list(undated({"docs/developers/fleet.md": section})), ["docs/developers/fleet.md: ## B"])
        self.assertEqual(list(undated({"docs/developers/fleet.md": section + "(2026-11-29)\n"})), [])
        self.assertEqual(unreleased("# H\n\n## [2]\na\n## [1] - date\nb\n"), "# H\n\n## [2]\na\n")

    def test_finds_rows(self):
        row = {"device": "d", "program": "p"}
        self.assertEqual(twice("auto", [row, {"device": "d", "program": "q"}]), [])
        self.assertEqual(twice("auto", [row, row]), [("d", "p")])

    def test_documents(self):
        files = [source / "README.md", *(source / "docs").glob("*.md"), *(source / "docs/developers").glob("*.md"), source / "manifest/coopvk.conf.example"]
        pages = {file.relative_to(source).as_posix(): file.read_text() for file in files}
        pages[HISTORY] = unreleased(pages[HISTORY])
        self.assertEqual(figures(pages), [])
        self.assertEqual(list(undated(pages)), [])
        self.assertEqual(cells(pages), [])
        self.assertEqual(tables(pages), sorted(SUBJECTS))

    def test_measurements(self):
        for file in (source / "docs/developers/measured").glob("*.json"):
            self.assertEqual(twice(file.stem, json.loads(file.read_text())), [], file.name)


source = pathlib.Path(sys.argv.pop(1))
if __name__ == "__main__":
    unittest.main()
