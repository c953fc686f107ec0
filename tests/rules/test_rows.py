# SPDX-License-Identifier: Apache-2.0
# usage: test_rows.py SOURCE
# Who adds a row to one table finds the others: instructions that map each component, number formats, classes of devices.
# docs/developers/architecture.md ("Add ...") says what each table is for.
import pathlib
import re
import sys
import unittest

LISTS = {  # of instructions that map each component of matrices and vectors
    "rewrite/src/ir/opcodes.hpp": ("kArithmetic", "kRemainders", "kConversions"),
    "rewrite/src/lowering/cooperative_types.hpp": ("kCooperativeElementWise",),
}
KINDS, EFFECTS = "rewrite/src/ir/component_kinds.cpp", "rewrite/src/ir/effects_rows.inc"
HALVES, JUDGE, INTERVALS = "rewrite/src/numbers", "reference/execution", "reference/intervals"
NUMBERS, REFERENCE = "rewrite/src/lowering/number.cpp", "reference/include/coopvk_reference/formats.hpp"
ORACLE = "tests/oracle/formats.cpp"
# Arrays whose rows are found by an enumerator: where that is, and where the rows are.
INDEXED = (
    ("Number", REFERENCE, REFERENCE, "kFormats"),
    ("Component", "tests/driver/harness/component.hpp", "tests/driver/harness/component.cpp", "kComponents"),
    ("Component", "tests/programs/components.hpp", "tests/programs/text.cpp", "kInfos"),
)
CLASSES, CHECKED = "rewrite/src/plan/classes.cpp", "tools/check/traits.cpp"


def text_of(path):
    path = SOURCE / path
    files = [path] if path.is_file() else sorted(path.rglob("*.cpp"))
    return "\n".join(re.sub(r"//[^\n]*", "", file.read_text(encoding="utf-8")) for file in files)


def array(text, name):
    """What is between the braces of an array."""
    return re.search(rf"\b{name}(?:\[\w*\])? = \{{(.*?)\}};", text, re.S).group(1)


def opcodes(text, name):
    return re.findall(r"\bOp\w+", array(text, name))


def ranged(text, numbers):
    """The opcodes of rows {OpFirst, OpLast, ...}. NUMBERS: {name: number}, without "Op"."""
    rows = re.findall(r"\{Op(\w+),\s*Op(\w+),", array(text, "kKindsByOpcode"))
    return {"Op" + name for name, number in numbers.items()
            for first, last in rows if numbers.get(first, number + 1) <= number <= numbers.get(last, 0)}


def without_row(names, has):
    """Which of the names are in none of the texts {path: (which names it needs, what it names)}."""
    return [f"{name}: no row in {path}" for path, (needs, rows) in has.items()
            for name in names if needs(name) and name not in rows]


def first_strings(text, name):
    """The names of the rows of an array: the first text of each."""
    rows = re.split(r"\n    (?=\{|\w+\()", "\n" + array(text, name))
    return [found[1] for row in rows if (found := re.search(r'"([^"]*)"', row))]


def enumerators(text, name):
    """In lower case, as names of formats are."""
    found = re.findall(r"\w+", re.search(rf"\benum class {name}\b[^{{]*\{{(.*?)\}}", text, re.S).group(1))
    return [one.removeprefix("k").lower() for one in found]


class Rule(unittest.TestCase):
    def test_itself(self):
        self.assertEqual(opcodes("constexpr spv::Op kAll[] = {OpA,\n OpB};", "kAll"), ["OpA", "OpB"])
        kinds = "constexpr K kKindsByOpcode[] = {\n    {OpB, OpC, kFloat},\n};"
        self.assertEqual(ranged(kinds, {"A": 1, "B": 2, "Between": 3, "C": 4}), {"OpB", "OpBetween", "OpC"})
        has = {"a.cpp": (lambda name: name != "OpC", {"OpA"})}
        self.assertEqual(without_row(["OpA", "OpB", "OpC"], has), ["OpB: no row in a.cpp"])
        rows = 'const C kRows[] = {\n    {"one", "reason",\n     f},\n    made("two", 3),\n    {kX,\n     "three"},\n};'
        self.assertEqual(first_strings(rows, "kRows"), ["one", "two", "three"])

        self.assertEqual(enumerators("enum class N : uint8_t {\n    kF16,\n    u8,\n};", "N"), ["f16", "u8"])

    def test_instructions(self):
        names = [name for path, lists in LISTS.items() for one in lists for name in opcodes(text_of(path), one)]
        self.assertGreater(len(names), 25)
        numbers = {name: int(n) for n, name in re.findall(r"\bROW\(\w+, (\d+), (\w+)\)", text_of(EFFECTS))}
        def has(path):
            return set(re.findall(r"\bOp\w+", text_of(path)))
        def is_any(_):
            return True
        def is_of_floats(name):
            return name.startswith("OpF") and name != "OpFConvert"
        self.assertEqual(without_row(names, {
            EFFECTS: (is_any, {"Op" + name for name in numbers}),
            KINDS: (is_any, ranged(text_of(KINDS), numbers)),
            HALVES: (is_of_floats, has(HALVES)),
            JUDGE: (is_any, has(JUDGE)),
            INTERVALS: (is_of_floats, has(INTERVALS)),
        }), [])

    def test_formats(self):
        names = first_strings(text_of(NUMBERS), "kNumbers")
        self.assertGreater(len(names), 20)
        self.assertEqual(without_row(names, {
            REFERENCE: (lambda _: True, set(first_strings(text_of(REFERENCE), "kFormats"))),
            ORACLE: (lambda _: True, set(re.findall(r'= \{\s*"(\w+)"', text_of(ORACLE)))),
        }), [])

    def test_indexed(self):
        for name, listed, path, rows in INDEXED:
            found = first_strings(text_of(path), rows)
            if rows == "kComponents":  # its rows have the enumerator in place of a name
                found = [one.lower() for one in re.findall(r"\bComponent::k(\w+)", array(text_of(path), rows))]
            self.assertEqual(found, enumerators(text_of(listed), name), path)

    def test_classes(self):
        names = first_strings(text_of(CLASSES), "kClasses")
        self.assertGreater(len(names), 4)
        self.assertEqual(without_row(names, {
            CHECKED: (lambda _: True, set(first_strings(text_of(CHECKED), "kClasses")))}), [])


if __name__ == "__main__":
    SOURCE = pathlib.Path(sys.argv.pop())
    unittest.main()
