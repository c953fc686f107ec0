#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The rule about the setting `auto` (auto_rule.py), on runs whose verdict follows from its words.
import unittest

from auto_rule import holds, judge_all, read, table


def runs(without, auto, status=(0, 0), wall=None):
    """Lines of a program: the seconds of each round, without coopvk and with auto."""
    lines = []
    for number, seconds in enumerate(zip(without, auto)):
        for side, second, code in zip(("without", "auto"), seconds, status):
            fields = ("driver", "program", number, side, second,
                      second if wall is None else wall, code)
            lines.append("\t".join(map(str, fields)) + "\n")
    return lines


def verdict(lines, clock="processor"):
    rows = judge_all(read(lines), clock)
    assert len(rows) == 1
    assert len(table(rows)) == 3
    return rows[0]["verdict"], holds(rows)


class Rule(unittest.TestCase):
    def test_five_percent(self):
        self.assertEqual(verdict(runs([10, 10, 10], [10, 10, 10])), ("holds", True))
        self.assertEqual(verdict(runs([10, 10, 10], [10.5, 10.5, 10.5])), ("holds", True))
        self.assertEqual(verdict(runs([10, 10, 10], [10.6, 10.6, 10.6])), ("slower", False))
        self.assertEqual(verdict(runs([10, 10, 10], [2, 2, 2])), ("holds", True))

    def test_pairs(self):
        # The machine became slower while this was measured: each pair is equal.
        self.assertEqual(verdict(runs([10, 20, 40], [10, 20, 40])), ("holds", True))
        # One run met another program.
        self.assertEqual(verdict(runs([10, 10, 10], [10, 90, 10])), ("holds", True))

    def test_noise(self):
        # Ratios of 0.9, 1.08 and 1.2: the median is no further above 1.05 than they are apart.
        self.assertEqual(verdict(runs([10, 10, 10], [9, 10.8, 12])), ("holds", True))
        # Equal runs are 9 % apart, more than what is above 1.05.
        self.assertEqual(verdict(runs([10, 11, 12], [11, 12.1, 13.2])), ("holds", True))
        self.assertEqual(verdict(runs([10, 10, 10], [14, 16, 18])), ("slower", False))

    def test_failures(self):
        self.assertEqual(verdict(runs([1], [1], status=(0, 1))), ("fails with auto", False))
        self.assertEqual(verdict(runs([1], [9], status=(1, 0))), ("runs with auto only", True))
        self.assertEqual(verdict(runs([1], [1], status=(1, 1))), ("fails in both", False))

    def test_clocks(self):
        # A GPU works while the processor waits.
        self.assertEqual(verdict(runs([1], [2], wall=5), "wall"), ("holds", True))
        self.assertEqual(verdict(runs([1], [2], wall=5)), ("slower", False))

    def test_no_pair(self):
        self.assertEqual(judge_all(read(runs([1], [1])[:1]), "wall"), [])


if __name__ == "__main__":
    unittest.main()
