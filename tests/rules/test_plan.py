# SPDX-License-Identifier: Apache-2.0
# usage: test_plan.py SOURCE
# The device is judged in rewrite/src/plan only; workarounds for drivers name a file and a test that exist.
import pathlib
import re
import sys
import unittest

# What devices are offered (api/) takes the interface's DeviceTraits; how code is made does not.
MAY_READ = ("plan", "api")
TYPES = r"\b(DeviceTraits|Target)\b"
ROW = re.compile(r'\{"(?:[^{}]|\n)*?"([\w/]+\.[ch]pp)",\s*"([\w/.*]+)"\}')


def code(text):
    """The text without its comments."""
    return re.sub(r"//[^\n]*", "", text)


def hidden(interface, plan):
    """The members of DeviceTraits that DeviceFeatures does not have. Other structures have a name and a size."""
    traits = re.search(r"struct DeviceTraits {(.*?)\n};", interface, re.S).group(1)
    members = set(re.findall(r"^    [\w:<>]+ (\w+)(?: =.*|);", traits, re.M))
    return members - set(re.findall(r"\bDeviceTraits::(\w+)", plan)) - {"name", "subgroupSize"}


def readers(sources, traits):
    """The paths among {path: text} that read traits and must not."""
    read = re.compile(TYPES + r"|(\.|->)(" + "|".join(sorted(traits)) + r")\b")
    return sorted(path for path, text in sources.items()
                  if path.split("/")[0] not in MAY_READ and read.search(code(text)))


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
        def read(code, path="matrix/a.cpp"):
            return readers({path: code}, {"isCpu"}) == [path]
        self.assertTrue(read("f(const DeviceTraits& d)"))
        self.assertTrue(read("f(const Target& t)"))
        self.assertTrue(read("if (target.device.isCpu)"))
        self.assertTrue(read("if (device->isCpu)"))
        self.assertFalse(read("// DeviceTraits, device.isCpu\nPlannedTarget t;"))
        self.assertFalse(read("DeviceTraits d;", "plan/b.cpp"))

    def test_hidden(self):
        interface = "struct DeviceTraits {\n    bool isCpu = false;  // of it\n    bool half = true;\n    float a() const;\n};"
        self.assertEqual(hidden(interface, "using DeviceTraits::half;"), {"isCpu"})

    def test_missing(self):
        self.assertEqual(list(missing([("a.cpp", "X/Suite.*Name")], {"a.cpp"}, "Suite, Name")), [])
        self.assertEqual(list(missing([("b.cpp", "Suite.Other")], {"a.cpp"}, "Suite, Name")), ["b.cpp", "Suite.Other"])

    def test_sources(self):
        root = SOURCE / "rewrite" / "src"
        sources = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
                   for path in root.rglob("*.[ch]pp")}
        self.assertGreater(len(sources), 150)
        interface = (root.parent / "include" / "coopvk" / "device.hpp").read_text(encoding="utf-8")
        traits = hidden(interface, sources["plan/device_plan.hpp"])
        self.assertLessEqual({"isCpu", "scalarRegisters", "dot4x8Mixed", "maxSubgroupSize"}, traits)
        self.assertEqual(readers(sources, traits), [])
        rows = ROW.findall(sources["plan/device_plan.cpp"])
        self.assertEqual(len(rows), sources["plan/device_plan.cpp"].count('{"'))
        tests = "".join(path.read_text(encoding="utf-8") for path in (SOURCE / "tests" / "driver").rglob("*.cpp"))
        self.assertEqual(list(missing(rows, sources, tests)), [])


if __name__ == "__main__":
    SOURCE = pathlib.Path(sys.argv.pop())
    unittest.main()
