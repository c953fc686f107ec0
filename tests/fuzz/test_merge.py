#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/fuzz --merge keeps the files that it has unless the fuzzer succeeds. The fuzzer is a shell script."""
import argparse
import importlib.machinery
import importlib.util
import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
os.environ["COOPVK_INSIDE"] = "1"  # no other root
SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
loader = importlib.machinery.SourceFileLoader("fuzz", str(SCRIPTS / "fuzz"))
fuzz = importlib.util.module_from_spec(importlib.util.spec_from_loader("fuzz", loader))
loader.exec_module(fuzz)


class Merge(unittest.TestCase):
    def merged(self, status, output="kept"):
        """The names of the kept files after a fuzzer that writes this file and ends with this status."""
        with tempfile.TemporaryDirectory() as name:
            work = pathlib.Path(name)
            binary, fuzz.KEPT = work / "fuzzer", work / "corpus"
            (fuzz.KEPT / "rewrite").mkdir(parents=True)
            for kept in ("kept", "other"):
                (fuzz.KEPT / "rewrite" / kept).write_text(kept)
            binary.write_text(f'#!/bin/sh\n[ "$1" != -set_cover_merge=1 ] || touch "$4/{output}"\nexit {status}\n')
            binary.chmod(0o755)
            fuzzing = fuzz.Fuzzing(argparse.Namespace(target="rewrite", work=work / "work", binary=binary))
            try:
                fuzzing.merge()
            except SystemExit:
                self.assertNotEqual(status, 0)
            return sorted(path.name for path in fuzz.files(fuzz.KEPT / "rewrite"))

    def test_success(self):
        self.assertEqual(self.merged(0), ["kept"])

    def test_failure(self):
        self.assertEqual(self.merged(1), ["kept", "other"])


if __name__ == "__main__":
    unittest.main()
