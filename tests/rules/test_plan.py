# SPDX-License-Identifier: Apache-2.0
# usage: test_plan.py SOURCE
# The device is judged in rewrite/src/plan only; workarounds for drivers name a file and a test that exist.
import pathlib
import re
import sys
import unittest

# What devices are offered (api/) takes the interface's DeviceTraits; how code is made does not.
MAY_READ = ("plan", "api")
TRAITS = re.compile(r"\b(DeviceTraits|Target)\b|\.device\.(isCpu|scalarRegisters|dot4x8|m(in|ax)SubgroupSize)")
ROW = re.compile(r'\{"(?:[^{}]|\n)*?"([\w/]+\.[ch]pp)",\s*"([\w/.*]+)"\}')


def code(text):
    """The text without its comments."""
    return re.sub(r"//[^\n]*", "", text)


def readers(sources):
    """The paths among {path: text} that read traits and must not."""
    return sorted(path for path, text in sources.items()
                  if path.split("/")[0] not in MAY_READ and TRAITS.search(code(text)))


def missing(rows, files, tests):
    """What (file, test) rows name that is not there; a test is "Prefix/Suite.Name", with * for parts."""
    for file, test in rows:
        if file not in files:
            yield file
        suite, name = test.split("/")[-1].split(".")
        name = name.strip("*")
        if suite not in tests or name not in tests:
            yield test


class Rule(unittest.TestCase):
    def test_readers(self):
        self.assertEqual(readers({"matrix/a.cpp": "f(const DeviceTraits& d)"}), ["matrix/a.cpp"])
        self.assertEqual(readers({"vector/a.hpp": "f(const Target& t)"}), ["vector/a.hpp"])
        self.assertEqual(readers({"vector/a.hpp": "if (target.device.isCpu)"}), ["vector/a.hpp"])
        self.assertEqual(readers({"matrix/a.cpp": "// DeviceTraits\nPlannedTarget t;", "plan/b.cpp": "DeviceTraits d;"}),
                         [])

    def test_missing(self):
        self.assertEqual(list(missing([("a.cpp", "X/Suite.*Name")], {"a.cpp"}, "Suite, Name")), [])
        self.assertEqual(list(missing([("b.cpp", "Suite.Other")], {"a.cpp"}, "Suite, Name")), ["b.cpp", "Suite.Other"])

    def test_sources(self):
        root = SOURCE / "rewrite" / "src"
        sources = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
                   for path in root.rglob("*.[ch]pp")}
        self.assertGreater(len(sources), 150)
        self.assertEqual(readers(sources), [])
        rows = ROW.findall(sources["plan/workarounds.cpp"])
        self.assertEqual(len(rows), sources["plan/workarounds.cpp"].count('{"'))
        tests = "".join(path.read_text(encoding="utf-8") for path in (SOURCE / "tests" / "driver").rglob("*.cpp"))
        self.assertEqual(list(missing(rows, sources, tests)), [])


if __name__ == "__main__":
    SOURCE = pathlib.Path(sys.argv.pop())
    unittest.main()
