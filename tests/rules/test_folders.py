# SPDX-License-Identifier: Apache-2.0
# usage: test_folders.py SOURCE
# The layer's folders include only files of their own and of folders below them, as layer/CMakeLists.txt links them;
# tests/layer has the same folders.
import pathlib
import re
import sys
import unittest

LINK = re.compile(r"^coopvk_layer_folder\((\w+)([^)]*)\)", re.M)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def below(cmake):
    """Folder -> the folders that it may include."""
    folders = {}
    for folder, links in LINK.findall(cmake):
        direct = re.findall(r"\bcoopvk_layer_(\w+)", links)
        folders[folder] = set(direct).union(*(folders[name] for name in direct))
    return folders


def complaints(folder, text, folders, others):
    """What is wrong with the includes of a file in FOLDER. `others`: files without a folder of the layer."""
    for name in INCLUDE.findall(text):
        top = name.split("/")[0]
        if top not in folders:
            if name not in others and top != "coopvk":
                yield f"{name} is named without its folder"
        elif top != folder and top not in folders[folder]:
            yield f"{name} is not below {folder}/"


class Folders(unittest.TestCase):
    # What CMake generates.
    others = {"setting_rows.inc", "source_version.inc", "convert_matrix.spv.h"}

    def setUp(self):
        self.layer = source / "layer"
        self.folders = below((self.layer / "CMakeLists.txt").read_text())

    def test_lists_all(self):
        self.assertEqual(set(self.folders), {path.parent.name for path in self.layer.glob("*/*.hpp")})
        self.assertEqual([], list(self.layer.glob("*.[ch]pp")))

    def test_tests_mirror_them(self):
        tests = source / "tests/layer"
        others = {"fakes", "posix", "windows"}
        self.assertEqual(set(self.folders) | others, {path.name for path in tests.iterdir() if path.is_dir()})
        self.assertEqual([], list(tests.glob("*.[ch]pp")))

    def test_includes_go_down(self):
        found = [
            f"{path.relative_to(self.layer)}: {what}"
            for path in sorted(self.layer.glob("*/*.[ch]pp"))
            for what in complaints(path.parent.name, path.read_text(), self.folders, self.others)
        ]
        self.assertEqual([], found)

    def test_finds_faults(self):
        def of(folder, name):
            return list(complaints(folder, f'#include "{name}"\n', self.folders, self.others))

        self.assertTrue(of("chain", "device/policy.hpp"))
        self.assertTrue(of("conversion", "shaders/stage_builder.hpp"))
        self.assertTrue(of("shaders", "conversion/sync_masks.hpp"))
        self.assertTrue(of("device", "policy.hpp"))
        self.assertFalse(of("device", "chain/pnext.hpp") + of("device", "device/policy.hpp"))


if __name__ == "__main__":
    source = pathlib.Path(sys.argv.pop(1))
    unittest.main()
