#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# usage: auto_rule.py SAMPLES [--clock processor|wall] [--json FILE]
#
# Says whether the setting `auto` slows programs down. SAMPLES has a line for each run of a program:
# driver, program, round, side (without, auto), processor seconds, wall-clock seconds and exit status,
# separated by tabs. The two runs of a round are a pair: the time of a program is the median of the
# pairs' ratios, which other programs on the machine affect little. The rule is broken if that exceeds what
# is allowed by more than the noise: twice the spread of the ratios, or of equal runs. The clock is the processor's for
# drivers that compute on the CPU, since that is what the work takes then.
#
# Prints a table. The exit status is 1 if the rule is broken, 2 if SAMPLES has no pair of runs.
import argparse
import json
import statistics
import sys

ALLOWED = 1.05  # of the time without coopvk


def read(lines):
    """Runs by driver and program: {(driver, program): {round: {side: run}}}."""
    programs = {}
    for line in lines:
        driver, program, number, side, processor, wall, status = line.rstrip("\n").split("\t")
        run = {"processor": float(processor), "wall": float(wall), "status": int(status)}
        programs.setdefault((driver, program), {}).setdefault(int(number), {})[side] = run
    return programs


def spread(figures):
    """Half of the figures are no further from their median than this."""
    middle = statistics.median(figures)
    return statistics.median(abs(figure - middle) for figure in figures)


def judge(rounds, clock):
    """The figures of one program. `rounds` has both sides of each round."""
    pairs = [(pair["without"], pair["auto"]) for pair in rounds.values()
             if "without" in pair and "auto" in pair]
    failed = {side: any(pair[i]["status"] != 0 for pair in pairs)
              for i, side in enumerate(("without", "auto"))}
    row = {"pairs": len(pairs), "clock": clock, "failed": failed}
    ratios = [auto[clock] / max(without[clock], 1e-3) for without, auto in pairs]
    row["ratio"] = statistics.median(ratios)
    noise = spread(ratios)
    for i, side in enumerate(("without", "auto")):
        seconds = [pair[i][clock] for pair in pairs]
        row[side] = statistics.median(seconds)
        noise = max(noise, spread(seconds) / max(row[side], 1e-3))
    row["noise"] = 2 * noise
    if failed["without"]:
        row["verdict"] = "fails in both" if failed["auto"] else "runs with auto only"
    elif failed["auto"]:
        row["verdict"] = "fails with auto"
    elif row["ratio"] - row["noise"] > ALLOWED:
        row["verdict"] = "slower"
    else:
        row["verdict"] = "holds"
    return row


def judge_all(programs, clock):
    rows = []
    for (driver, program), rounds in programs.items():
        if not any(len(pair) == 2 for pair in rounds.values()):
            continue
        row = judge(rounds, clock)
        rows.append({"driver": driver, "program": program, **row})
    return rows


def holds(rows):
    return all(row["verdict"] in ("holds", "runs with auto only") for row in rows)


def table(rows):
    lines = ["| driver | program | without | auto | times | +/- | the rule |",
             "|--------|---------|---------|------|-------|-----|----------|"]
    for row in rows:
        lines.append("| {driver} | {program} | {without:.2f} s | {auto:.2f} s | {ratio:.2f} | "
                     "{noise:.2f} | {verdict} |".format(**row))
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("samples")
    parser.add_argument("--clock", choices=("processor", "wall"), default="wall")
    parser.add_argument("--json")
    options = parser.parse_args()
    with open(options.samples, encoding="utf-8") as file:
        rows = judge_all(read(file), options.clock)
    if not rows:
        print("auto_rule: no pair of runs", file=sys.stderr)
        return 2
    print("\n".join(table(rows)))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"allowed": ALLOWED, "holds": holds(rows), "programs": rows}, file, indent=2)
            file.write("\n")
    return 0 if holds(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
