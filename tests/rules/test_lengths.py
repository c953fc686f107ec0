# SPDX-License-Identifier: Apache-2.0
# usage: test_lengths.py SOURCE
# The rule about lengths in docs/CONTRIBUTING.md. Exceptions are in long.txt; they may only become shorter.
import pathlib
import sys
import unittest

import lengths

FILE_LINES, FUNCTION_LINES = 600, 50
ROOMS = ("rewrite", "layer", "reference", "tools", "tests")
HERE = pathlib.Path(__file__).parent


def long_parts(path, source):
    """{"path": lines} of a file that is too long, {"path function": lines} of functions that are."""
    parts = {}
    if source.count("\n") > FILE_LINES:
        parts[path] = source.count("\n")
    for name, lines in lengths.FUNCTIONS[pathlib.PurePath(path).suffix](source):
        if lines > FUNCTION_LINES:
            key = f"{path} {name}"
            parts[key] = max(lines, parts.get(key, 0))
    return parts


def problems(parts, allowed):
    """What of the parts is against the rule and the list of exceptions {part: lines}."""
    for part, lines in parts.items():
        if part not in allowed:
            yield f"{part} has {lines} lines: divide it"
        elif lines > allowed[part]:
            yield f"{part} has grown from {allowed[part]} to {lines} lines: divide it"
    for part in allowed.keys() - parts.keys():
        yield f"{part} is no longer too long: remove it from {HERE / 'long.txt'}"


def exceptions():
    rows = [line for line in (HERE / "long.txt").read_text().splitlines() if line and line[0] != "#"]
    return {part: int(lines) for lines, part in (row.split(" ", 1) for row in rows)}


CPP = """
namespace a {{
int table[] = {{
    each([](int x) {{
{long}        return x; }}),
}};
struct S : public T {{
    S() : x_(1) {{
{long}    }}
    const std::vector<int>& values(int a,
                                   int b) const;
}};

int S::free(int a,
            int b) {{
{long}    if (a) {{
    }}
}}
}}  // namespace a

TEST_F(Suite, Name) {{
    const char* shader = R"(
{long})";
}}
"""


class Scanner(unittest.TestCase):
    def test_cpp(self):
        text = CPP.format(long="    line();\n" * 60)
        self.assertEqual(dict(lengths.cpp_functions(text)),
                         {"S": 62, "S::free": 65, "Suite.Name": 3})

    def test_python_and_shell(self):
        self.assertEqual(list(lengths.python_functions("def f():\n    pass\n\n\nx = 1\n")), [("f", 2)])
        self.assertEqual(list(lengths.shell_functions("f() {\n    a\n}\nb\n")), [("f", 3)])


class Rule(unittest.TestCase):
    def test_long_parts(self):
        body = "    line();\n"
        self.assertEqual(long_parts("a.cpp", "\n" * 600), {})
        self.assertEqual(long_parts("a.cpp", "\n" * 601), {"a.cpp": 601})
        self.assertEqual(long_parts("a.cpp", f"int f() {{\n{body * 48}}}\n"), {})
        self.assertEqual(long_parts("a.cpp", f"int f() {{\n{body * 49}}}\n"), {"a.cpp f": 51})

    def test_exceptions_may_only_become_shorter(self):
        self.assertEqual(list(problems({"a": 400}, {"a": 400})), [])
        self.assertEqual(list(problems({"a": 399}, {"a": 400})), [])
        self.assertEqual(len(list(problems({"a": 401}, {"a": 400}))), 1)
        self.assertEqual(len(list(problems({"a": 400}, {}))), 1)
        self.assertEqual(len(list(problems({}, {"a": 400}))), 1)

    def test_sources(self):
        parts, count = {}, 0
        for room in ROOMS:
            for path in sorted((SOURCE / room).rglob("*")):
                if path.suffix in lengths.FUNCTIONS and path.is_file():
                    count += 1
                    parts.update(long_parts(str(path.relative_to(SOURCE)), path.read_text(encoding="utf-8")))
        self.assertGreater(count, 500)
        found = sorted(problems(parts, exceptions()))
        self.assertFalse(found, "\n".join(found))


if __name__ == "__main__":
    SOURCE = pathlib.Path(sys.argv.pop())
    unittest.main()
