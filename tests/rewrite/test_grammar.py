#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on each capability, instruction and operand of matrices, vectors, tensors and narrow numbers in
SPIR-V's grammar that grammar_reviewed.txt does not name, so that a new one is noticed with the headers.

usage: test_grammar.py GRAMMAR_JSON REVIEWED
"""
import json
import re
import sys

FAMILY = re.compile(
    r"Coop(erative)?(Mat|Vec)|Tensor|LongVector|VectorId|Float[468](?!\d)|FP[468](?!\d)|E\dM\d|MXInt|"
    r"BFloat16|MixAcc|Dot|Int4(?!\d)|2DBlock|Replicate|BitcastExtract|MatrixMultiply|Scaled|Microscal|"
    r"AtomicFloat|SubArray|BitCastArray|FPEncoding|ComponentType|TF32")
WORDS = ("emulated", "driver", "kernels")


def names(grammar):
    """(what the list calls it, its other names) of all that is of the family."""
    for instruction in grammar["instructions"]:
        if FAMILY.search(instruction["opname"]):
            yield instruction["opname"], instruction.get("aliases", [])
    for kind in grammar["operand_kinds"]:
        prefix = "" if kind["kind"] == "Capability" else kind["kind"] + "."
        for item in kind.get("enumerants", []):
            if FAMILY.search(prefix + item["enumerant"]):
                yield prefix + item["enumerant"], [prefix + alias for alias in item.get("aliases", [])]


def read_reviewed(path):
    """name -> word"""
    reviewed = {}
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            match = re.fullmatch(r"(\w+)  ([^:]+):((?: [\w.]+)+)\n", line)
            if not match or match[1] not in WORDS or any(n in reviewed for n in match[3].split()):
                raise SystemExit(f"{path}:{number}: no good line, or a name twice: {line.strip()}")
            reviewed.update((name, match[1]) for name in match[3].split())
    return reviewed


def unnamed(grammar, reviewed):
    return sorted({name for name, others in names(grammar)
                   if not any(one in reviewed for one in [name, *others])})


def check_itself(reviewed):
    """New names are found, whatever they are of; known ones by each of their names."""
    new = {"instructions": [{"opname": "OpCooperativeMatrixScaledMulAddKHR"}, {"opname": "OpFAdd"}],
           "operand_kinds": [
               {"kind": "Capability", "enumerants": [
                   {"enumerant": "Float4CooperativeMatrixKHR"}, {"enumerant": "Float64"},
                   {"enumerant": "New", "aliases": ["CooperativeMatrixKHR"]}]},
               {"kind": "FPEncoding", "enumerants": [{"enumerant": "Other"}]}]}
    found = ["FPEncoding.Other", "Float4CooperativeMatrixKHR", "OpCooperativeMatrixScaledMulAddKHR"]
    if unnamed(new, reviewed) != found:
        raise SystemExit(f"the test does not find {found}, but {unnamed(new, reviewed)}")


def main():
    grammar_path, reviewed_path = sys.argv[1:]
    with open(grammar_path, encoding="utf-8") as file:
        grammar = json.load(file)
    reviewed = read_reviewed(reviewed_path)
    check_itself(reviewed)
    new = unnamed(grammar, reviewed)
    for name in new:
        print(f"{name}: review it, and name it in {reviewed_path}")
    if new:
        raise SystemExit(1)


main()
