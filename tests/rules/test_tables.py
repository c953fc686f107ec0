# SPDX-License-Identifier: Apache-2.0
# usage: test_tables.py SOURCE
# Tables in documents are those of the files of measurements (scripts/tables).
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import unittest

SELFTEST = {"version": "0.3.0", "device": 1,
            "information": {"devices": [{"name": "a", "driver": "x"}, {"name": "b", "driver": "y 1"}]},
            "parts": [{"extension": "e", "cases": 3, "agreed": 2}, {"extension": "f", "notRun": "lacks"},
                      {"extension": "g", "cases": 4, "agreed": 4}]}
TUNE = {"deviceName": "d", "driver": "x 2", "coopvk": "0.3.0+a", "tuning": "slice=4",
        "works": [{"name": "work", "times": 1.234}]}
AUTO = {"programs": [{"driver": "d", "program": "p", "pairs": 5, "clock": "wall", "ratio": 1.0, "lower": 0.9,
                      "upper": 1.04, "verdict": "holds"},
                     {"driver": "d", "program": "q", "pairs": 1, "clock": "wall", "ratio": 2, "lower": None,
                      "upper": None, "verdict": "not judged"}]}
IDLE = {"processor": "p, 2 processors", "commands": [
    {"command": "c", "alone": {"more": 1.26}, "threads": {"more": 0.0}, "instructions": 7}]}


LLAMA = {"device": "d", "rows": [{"model": "tiny f16", "matrices": "m", "figures": [1500.04, 9.06], "times": [1.2599, 0.5]}]}


class Tables(unittest.TestCase):
    def test_documents_are_up_to_date(self):
        done = subprocess.run([script, "--check"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_rows(self):
        [row] = tables.selftest_rows(SELFTEST, None, "2026-01-02")
        self.assertEqual(list(tables.selftest_table([row]))[2], "| b | y 1 | 0.3.0 | 6 of 7 | 2026-01-02 |")
        [row] = tables.tune_rows(TUNE, None, "2026-01-02")
        self.assertEqual(list(tables.tune_table([row]))[2], "| d | x 2 | 0.3.0+a | `slice=4` | 1.23: work | 2026-01-02 |")
        rows = tables.auto_rows(AUTO, "mine", "2026-01-02")
        self.assertEqual(list(tables.auto_table(rows))[2:],
                         ["| mine | 2026-01-02 | p | 5 | 1.000 [0.900, 1.040] | holds |",
                          "| mine | 2026-01-02 | q | 1 | 2.000 [-, -] | not judged |"])

        rows = tables.llama_rows(LLAMA, None, "2026-01-02")
        self.assertEqual(list(tables.llama_table(rows))[2:],
                         ["| d | 2026-01-02 | tiny f16 | m | 1,500 | 1.26 | 9.1 | 0.50 |"])

        rows = tables.idle_rows(IDLE, None, "2026-01-02")
        self.assertEqual(list(tables.idle_table(rows))[2:], ["| p, 2 processors | 2026-01-02 | c | 1.3 | 0.0 | 7 |"])

    def test_speed(self):
        def row(extension, compared, times, work):
            return {"extension": extension, "compared": compared, "times": times, "work": work}
        rows = [row("e", "own", 0.5, "f16"), row("e", "own", 11, "q4"), row("f", "without", None, "not measured")]
        self.assertEqual(list(tables.speed_table(rows))[2:], ["| e | 0.5: f16; 11: q4 |  |", "| f |  | not measured |"])

    def test_picture(self):
        rows = [{"device": device, "model": model, "matrices": matrices, "prompt": prompt, "prompt_times": prompt / 50}
                for device, model, _ in tables.PICTURE for matrices, prompt in ((tables.PLAIN, 50), (tables.EMULATED, 100))]
        lines = tables.tokens_picture(rows).splitlines()
        self.assertEqual(len(lines), 4 + 7 * len(tables.PICTURE))
        self.assertIn('<rect x="108" y="30" width="240" height="18" fill="#b8c0cc"/>', lines)
        self.assertIn('<text x="596" y="66" fill="#222222">100 tokens/s (2.00 times)</text>', lines)

    def test_merge(self):
        def row(device, program, pairs):
            return {"device": device, "program": program, "pairs": pairs}
        old = [row("a", "p", 1), row("a", "q", 1), row("b", "p", 1)]
        new = [row("a", "q", 2), row("a", "r", 2), row("c", "p", 2)]
        self.assertEqual(tables.merge(old, new, ("device", "program")),
                         [old[0], new[0], new[1], old[2], new[2]])

    def test_page(self):
        page = "x\n<!-- table: auto -->\nold\n<!-- end of table -->\ny\n"
        text = tables.page_with_table(page, "auto", [])
        self.assertTrue(text.startswith("x\n<!-- table: auto -->\n\n| device |") and text.endswith("table -->\ny\n"), text)
        self.assertEqual(tables.page_with_table(text, "auto", []), text)
        with self.assertRaises(SystemExit):
            tables.page_with_table("nothing", "auto", [])


source = pathlib.Path(sys.argv.pop(1))
script = source / "scripts/tables"
sys.path.append(str(source / "scripts"))
loader = importlib.machinery.SourceFileLoader("tables", str(script))
tables = importlib.util.module_from_spec(importlib.util.spec_from_loader("tables", loader))
loader.exec_module(tables)

if __name__ == "__main__":
    unittest.main()
