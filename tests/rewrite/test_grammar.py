#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on each capability, instruction and operand of matrices, vectors, tensors and narrow numbers in
SPIR-V's grammar that grammar_reviewed.txt does not name, and on each instruction without a row in the
table of effects, so that a new one is noticed with the headers.

usage: test_grammar.py GRAMMAR_JSON REVIEWED EFFECTS_ROWS
"""
import json
import pathlib
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


# Instructions that need no row, and capabilities of OpenCL.
OUTSIDE = {"Debug", "Annotation", "Extension", "Mode-Setting", "Type-Declaration"}
OPENCL = {"Kernel", "Pipes", "DeviceEnqueue", "Addresses", "LiteralSampler", "NamedBarrier", "SubgroupDispatch",
          "PipeStorage", "Groups"}
EXTENDED = {"Glsl": "glsl.std.450", "TrinaryMinMax": "spv-amd-shader-trinary-minmax", "Gcn": "spv-amd-gcn-shader",
            "Ballot": "spv-amd-shader-ballot", "ExplicitVertex": "spv-amd-shader-explicit-vertex-parameter"}


def is_of_opencl(instruction):
    needs = instruction.get("capabilities", [])
    return bool(needs) and all(n in OPENCL or n.endswith(("INTEL", "ALTERA")) for n in needs)


def needs_effects(instruction):
    is_extended = instruction["opname"].startswith("OpExtInst") and instruction["opname"] != "OpExtInstImport"
    return instruction["class"] not in OUTSIDE and not is_of_opencl(instruction) and not is_extended


def without_effects(instructions, rows, names):
    """The names of instructions that have no row {number: name}, or one with another name."""
    return sorted(names(i)[0] for i in instructions if rows.get(i["opcode"]) not in names(i))


def opcode_names(instruction):
    return [name[2:] for name in [instruction["opname"], *instruction.get("aliases", [])]]


def check_effects(grammar, folder, text):
    rows = {int(n): name for n, name in re.findall(r"\bROW\(\w+, (\d+), (\w+)\)", text)}
    missing = without_effects(filter(needs_effects, grammar["instructions"]), rows, opcode_names)
    for short, full in EXTENDED.items():
        rows = {int(n): name for n, name in re.findall(rf"\bEXTENDED\({short}, \w+, (\d+), (\w+)\)", text)}
        path = folder / f"extinst.{full}.grammar.json"
        found = json.loads(path.read_text(encoding="utf-8"))["instructions"] if path.exists() else []
        missing += without_effects(found, rows, lambda i: [i["opname"]])
    return missing


def check_effects_itself():
    new = [{"opname": "OpNewKHR", "opcode": 1, "class": "Memory"},
           {"opname": "OpOldEXT", "aliases": ["OpOldNV"], "opcode": 2, "class": "Image"},
           {"opname": "OpTypeNew", "opcode": 3, "class": "Type-Declaration"},
           {"opname": "OpKernel", "opcode": 4, "class": "Image", "capabilities": ["Kernel"]}]
    found = check_effects({"instructions": new}, pathlib.Path(), "ROW(Reads, 2, OldNV) ROW(Reads, 1, OtherKHR)")
    if found != ["NewKHR"]:
        raise SystemExit(f"the test does not find NewKHR, but {found}")


def main():
    grammar_path, reviewed_path, effects_path = sys.argv[1:]
    with open(grammar_path, encoding="utf-8") as file:
        grammar = json.load(file)
    reviewed = read_reviewed(reviewed_path)
    check_itself(reviewed)
    check_effects_itself()
    new = unnamed(grammar, reviewed)
    rows = pathlib.Path(effects_path).read_text(encoding="utf-8")
    missing = check_effects(grammar, pathlib.Path(grammar_path).parent, rows)
    for name in missing:
        print(f"{name}: has no row in {effects_path}")
    for name in new:
        print(f"{name}: review it, and name it in {reviewed_path}")
    if new or missing:
        raise SystemExit(1)


main()
