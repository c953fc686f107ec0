#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The rule about the setting `auto` (auto_rule.py), on runs whose verdict follows from its words.
import os
import random
import subprocess
import sys
import tempfile
import unittest

from auto_rule import bounds, judge_all, read, status, table

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "auto_rule.py")


def runs(without, auto, codes=(0, 0), wall=None, program="program"):
    """Lines of a program: the seconds of each round, without coopvk and with auto."""
    lines = []
    for number, seconds in enumerate(zip(without, auto)):
        for side, second, code in zip(("without", "auto"), seconds, codes):
            fields = ("driver", program, number, side, second,
                      second if wall is None else wall, code)
            lines.append("\t".join(map(str, fields)) + "\n")
    return lines


def verdict(lines, clock="processor"):
    rows = judge_all(read(lines), clock)
    assert len(rows) == 1
    assert len(table(rows)) == 3
    return rows[0]["verdict"], status(rows)


HOLDS, SLOWER, NOT_JUDGED = ("holds", 0), ("slower", 1), ("not judged", 2)


class Rule(unittest.TestCase):
    def test_five_percent(self):
        self.assertEqual(verdict(runs([10] * 5, [10] * 5)), HOLDS)
        self.assertEqual(verdict(runs([10] * 5, [10.5] * 5)), HOLDS)
        self.assertEqual(verdict(runs([10] * 5, [10.6] * 5)), SLOWER)
        self.assertEqual(verdict(runs([10] * 5, [2] * 5)), HOLDS)

    def test_too_few_pairs(self):
        # The chance that all of N equal pairs are on one side is 1 in 2^N: 1 in 16 and 1 in 32.
        for count in range(1, 5):
            for seconds in (5, 10, 90):
                self.assertEqual(verdict(runs([10] * count, [seconds] * count)), NOT_JUDGED)
        self.assertEqual(verdict(runs([10], [10])[:1]), NOT_JUDGED)
        self.assertEqual(verdict(runs([10] * 5, [10] * 5)[:-1]), NOT_JUDGED)

    def test_pairs(self):
        # The machine became slower while this was measured: each pair is equal.
        self.assertEqual(verdict(runs([10, 20, 40, 80, 80], [10, 20, 40, 80, 80])), HOLDS)
        # One run of eight met another program: 1 or none of 8 is less likely than 1 in 20, 2 are not.
        self.assertEqual(verdict(runs([10] * 8, [10] * 7 + [90])), HOLDS)
        self.assertEqual(verdict(runs([10] * 8, [10] * 6 + [90] * 2)), NOT_JUDGED)
        self.assertEqual(verdict(runs([10] * 8, [11] * 7 + [1])), SLOWER)
        self.assertEqual(verdict(runs([10] * 8, [11] * 6 + [1] * 2)), NOT_JUDGED)

    def test_noise_is_neither(self):
        # The median is 1.08 or 1.00, and the noise larger than its distance from 1.05.
        self.assertEqual(verdict(runs([10] * 5, [9, 10, 10.8, 12, 13])), NOT_JUDGED)
        self.assertEqual(verdict(runs([10] * 5, [8, 9, 10, 11, 12])), NOT_JUDGED)
        # All of it is on one side.
        self.assertEqual(verdict(runs([10] * 5, [10.6, 14, 16, 18, 30])), SLOWER)
        self.assertEqual(verdict(runs([10] * 5, [4, 7, 9, 10, 10.4])), HOLDS)

    def test_failures(self):
        self.assertEqual(verdict(runs([1], [1], codes=(0, 1))), ("fails with auto", 1))
        self.assertEqual(verdict(runs([1], [9], codes=(1, 0))), ("runs with auto only", 0))
        self.assertEqual(verdict(runs([1], [1], codes=(1, 1))), ("fails in both", 2))

    def test_clocks(self):
        # A GPU works while the processor waits.
        self.assertEqual(verdict(runs([1] * 5, [2] * 5, wall=5), "wall"), HOLDS)
        self.assertEqual(verdict(runs([1] * 5, [2] * 5, wall=5)), SLOWER)

    def test_several_programs(self):
        good, few = runs([1] * 5, [1] * 5, program="a"), runs([1], [1], program="b")
        slow = runs([1] * 5, [2] * 5, program="c")
        self.assertEqual(status(judge_all(read(good), "wall")), 0)
        self.assertEqual(status(judge_all(read(good + few), "wall")), 2)
        self.assertEqual(status(judge_all(read(good + few + slow), "wall")), 1)
        self.assertEqual(status([]), 2)

    def test_confidence(self):
        # Each bound is on the wrong side of the true median in at most 5 % of all series, whatever the noise.
        source = random.Random(20261125)
        noises = (lambda: source.gauss(1.05, 0.2), lambda: 0.25 + source.expovariate(0.6931472 / 0.8),
                  lambda: 1.05 + source.choice((-1, 1)) * source.random() ** 4)
        for noise in noises:
            for count in (5, 8, 13):
                series = [bounds([noise() for _ in range(count)]) for _ in range(4000)]
                self.assertLess(sum(lower > 1.05 for lower, _ in series), 4000 * 0.06)
                self.assertLess(sum(upper < 1.05 for _, upper in series), 4000 * 0.06)
                # They are not wider than they need be, either.
                self.assertGreater(sum(lower > 1.05 for lower, _ in series), 4000 * 0.005)


class Script(unittest.TestCase):
    def run_script(self, lines, *options):
        with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
            file.writelines(lines)
            file.flush()
            return subprocess.run([sys.executable, "-B", SCRIPT, file.name, *options],
                                  capture_output=True, text=True, check=False)

    def test_status(self):
        for lines, wanted in ((runs([1] * 5, [1] * 5), 0), (runs([1] * 5, [2] * 5), 1),
                              (runs([1], [1]), 2), ([], 2)):
            self.assertEqual(self.run_script(lines, "--clock", "processor").returncode, wanted)

    def test_table(self):
        self.assertIn("| 1 | 1.00 s | 2.00 s | 2.000 | - | - | not judged |",
                      self.run_script(runs([1], [2])).stdout)


if __name__ == "__main__":
    unittest.main()
