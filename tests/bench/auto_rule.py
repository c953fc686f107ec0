#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# usage: auto_rule.py SAMPLES [--clock processor|wall] [--json FILE]
#
# Says whether the setting `auto` slows programs down. SAMPLES has a line for each run of a program:
# driver, program, round, side (without, auto), processor seconds, wall-clock seconds and exit status,
# separated by tabs. The two runs of a round are a pair, whose ratio other programs on the machine affect
# little. The time of a program is the median of these ratios. The true median is above the lower bound, and
# below the upper one, with a confidence of 95 % each: were it not, at least so many pairs would be on one
# side of it by chance. That holds for every distribution of noise, and needs no estimate of it. Fewer than
# five pairs have no such bounds.
#
#   holds        the upper bound is not above what is allowed
#   slower       the lower bound is above it
#   not judged   else: too few pairs, or too much noise for their number
#
# The clock is the processor's for drivers that compute on the CPU, since that is what the work takes then.
#
# Prints a table. The exit status is 1 if the rule is broken, else 2 if a program could not be
# judged, or none was measured.
import argparse
import json
import math
import statistics
import sys

ALLOWED = 1.05  # of the time without coopvk
CONFIDENCE = 0.95

BROKEN = ("slower", "fails with auto")
HELD = ("holds", "runs with auto only")


def read(lines):
    """Runs by driver and program: {(driver, program): {round: {side: run}}}."""
    programs = {}
    for line in lines:
        driver, program, number, side, processor, wall, status = line.rstrip("\n").split("\t")
        run = {"processor": float(processor), "wall": float(wall), "status": int(status)}
        programs.setdefault((driver, program), {}).setdefault(int(number), {})[side] = run
    return programs


def rank(count):
    """The largest rank of which the ratio is a lower bound, counted from 1; 0 if there is none."""
    chance, best = 0.0, 0
    for below in range(count):
        chance += math.comb(count, below) / 2 ** count
        if chance > 1 - CONFIDENCE:
            break
        best = below + 1
    return best


def bounds(ratios):
    """The lower and the upper bound of the true median; None if there are too few ratios."""
    best = rank(len(ratios))
    if best == 0:
        return None, None
    ordered = sorted(ratios)
    return ordered[best - 1], ordered[-best]


def verdict(row):
    failed = row["failed"]
    if failed["without"]:
        return "fails in both" if failed["auto"] else "runs with auto only"
    if failed["auto"]:
        return "fails with auto"
    if row["lower"] is None:
        return "not judged"
    if row["lower"] > ALLOWED:
        return "slower"
    return "holds" if row["upper"] <= ALLOWED else "not judged"


def judge(rounds, clock):
    """The figures of one program. Only rounds with both sides count."""
    pairs = [(pair["without"], pair["auto"]) for pair in rounds.values()
             if "without" in pair and "auto" in pair]
    row = {"pairs": len(pairs), "clock": clock, "without": None, "auto": None, "ratio": None,
           "failed": {side: any(pair[i]["status"] != 0 for pair in pairs)
                      for i, side in enumerate(("without", "auto"))}}
    ratios = [auto[clock] / max(without[clock], 1e-3) for without, auto in pairs]
    row["lower"], row["upper"] = bounds(ratios)
    if pairs:
        row["ratio"] = statistics.median(ratios)
        for i, side in enumerate(("without", "auto")):
            row[side] = statistics.median(pair[i][clock] for pair in pairs)
    row["verdict"] = verdict(row)
    return row


def judge_all(programs, clock):
    return [{"driver": driver, "program": program, **judge(rounds, clock)}
            for (driver, program), rounds in programs.items()]


def status(rows):
    """0: the rule holds; 1: it is broken; 2: something could not be judged."""
    verdicts = {row["verdict"] for row in rows}
    if verdicts & set(BROKEN):
        return 1
    return 0 if verdicts and verdicts <= set(HELD) else 2


def number(value, form):
    return "-" if value is None else format(value, form)


def table(rows):
    lines = ["| driver | program | pairs | without | auto | times | lower | upper | the rule |",
             "|--------|---------|-------|---------|------|-------|-------|-------|----------|"]
    for row in rows:
        seconds = [number(row[side], ".2f") + " s" for side in ("without", "auto")]
        ratios = [number(row[name], ".3f") for name in ("ratio", "lower", "upper")]
        cells = [row["driver"], row["program"], str(row["pairs"]), *seconds, *ratios, row["verdict"]]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def tell(rows, path=None):
    """Prints the table, and writes it as JSON if a path is given. Returns the status."""
    if rows:
        print("\n".join(table(rows)))
    else:
        print("auto_rule: nothing was measured", file=sys.stderr)
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"allowed": ALLOWED, "confidence": CONFIDENCE, "holds": status(rows) == 0,
                       "programs": rows}, file, indent=2)
            file.write("\n")
    return status(rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("samples")
    parser.add_argument("--clock", choices=("processor", "wall"), default="wall")
    parser.add_argument("--json")
    options = parser.parse_args()
    with open(options.samples, encoding="utf-8") as file:
        return tell(judge_all(read(file), options.clock), options.json)


if __name__ == "__main__":
    sys.exit(main())
