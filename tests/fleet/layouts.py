# SPDX-License-Identifier: Apache-2.0
"""What layouts of elements cost (scripts/fleet --layouts): cycles of tests/fleet/layouts/product.comp with a layout, relative
to those without one."""
import json
import os
import pathlib
import re
import sys

if __name__ == "__main__":  # CTest's test: layouts.py PROGRAM FOLDER
    sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from common import SOURCE, die, in_env

SHADER = SOURCE / "tests/fleet/layouts/product.comp"
DEVICES = ("navi21", "navi31", "turing", "m1")
LAYOUTS = ("rdna4", "nvidia")
MOST = 1.10  # a layout may cost 10 %
LANES = 32  # for which each layout has a map
HALVES, BYTES = ("FACTOR=float16_t", "BITS=16"), ("FACTOR=int8_t", "BITS=8")
SMALL_FLOATS = ("FACTOR=floate4m3_t", "BITS=8")
ONE, WIDE, SQUARE, TALL = ((f"MATRICES_M={m}", f"MATRICES_N={n}") for m, n in ((1, 1), (1, 2), (2, 2), (4, 1)))
# The file's name, the row's, and what is defined.
PRODUCTS = (
    ("tiles_f32", "f16 into f32, tiles of 32x64 from shared memory", (*HALVES, "SUM=float", "SHARED", "ROWS")),
    ("tiles_f16", "f16 into f16, the same", (*HALVES, "SUM=float16_t", "SHARED", "ROWS")),
    ("tiles_s8", "bytes into 32 bits, the same", (*BYTES, "SUM=int", "SHARED", "ROWS")),
    ("tiles_e4m3", "E4M3 into f32, the same", (*SMALL_FLOATS, "SUM=float", "SHARED", "ROWS")),
    ("one_f32", "f16 into f32, 16x16 from buffers", (*HALVES, *ONE, "SUM=float")),
    ("one_f16", "f16 into f16, the same", (*HALVES, *ONE, "SUM=float16_t")),
    ("buffers_f32", "f16 into f32, 16x32 from buffers", (*HALVES, *WIDE, "SUM=float")),
    ("buffers_f16", "f16 into f16, the same", (*HALVES, *WIDE, "SUM=float16_t")),
    ("buffers_f16_rows", "f16 into f16, the same, B in rows", (*HALVES, *WIDE, "SUM=float16_t", "ROWS")),
    ("buffers_e4m3", "E4M3 into f32, 16x32 from buffers", (*SMALL_FLOATS, *WIDE, "SUM=float")),
    ("square_f32", "f16 into f32, 32x32 from buffers", (*HALVES, *SQUARE, "SUM=float")),
    ("square_f16", "f16 into f16, the same", (*HALVES, *SQUARE, "SUM=float16_t")),
    ("tall_f32", "f16 into f32, 64x16 from buffers", (*HALVES, *TALL, "SUM=float")),
    ("tall_f16", "f16 into f16, the same", (*HALVES, *TALL, "SUM=float16_t")),
)
DOCUMENT = SOURCE / "docs/developers/element-layouts.md"
BLOCK = re.compile(r"(<!-- layouts: written by scripts/fleet --layouts --write: )(.*?)( -->\n\n)(.*?)(\n<!-- end of layouts -->)",
                   re.DOTALL)


def compile_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.spv"):
        old.unlink()
    for name, _, defined in PRODUCTS:
        in_env("glslang", "--quiet", "--target-env", "vulkan1.3", *(f"-D{word}" for word in defined), SHADER, "-o",
               folder / f"{name}.spv", check=True)


def cycles(program, folder, devices, layout):
    """The compilers' version, and the cycles by device and shader."""
    result = folder / f"{layout}.json"
    chosen = [word for name in devices for word in ("--device", name)]
    done = in_env("env", f"COOPVK_ELEMENT_LAYOUT={layout}", program, *chosen, "--no-built-in", "--lanes", str(LANES), "--folder",
                  f"{folder}=layouts", "--json", result, stdout=sys.stderr)
    if done.returncode != 0:
        die(f"a shader was not compiled with the layout {layout}")
    rows = json.loads(result.read_text())
    return (rows[0]["driver"] if rows else None,
            {(row["device"], row["subject"].rpartition("/")[2]): row["statistics"]["cycles"] for row in rows})


class Costs:
    """What was measured."""

    def __init__(self, program, folder, devices):
        compile_all(folder)
        found = {layout: cycles(program, folder, devices, layout) for layout in ("free", *LAYOUTS)}
        self.driver = found["free"][0]
        self.devices = devices
        self.found = {layout: taken for layout, (_, taken) in found.items()}

    def ratio(self, device, name, layout):
        free, taken = (self.found[which].get((device, name)) for which in ("free", layout))
        return taken / free if free and taken else None

    def table(self):
        heads = [f"{device}: `{layout}`" if layout == LAYOUTS[0] else f"`{layout}`" for device in self.devices
                 for layout in LAYOUTS]
        lines = ["| product | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
        for name, row, _ in PRODUCTS:
            ratios = [self.ratio(device, name, layout) for device in self.devices for layout in LAYOUTS]
            lines.append(f"| {row} | " + " | ".join(f"{ratio:.2f}" if ratio else "" for ratio in ratios) + " |")
        return "\n".join(lines) + "\n"

    def above(self):
        """What costs too much."""
        return [f"{device}, {name}, {layout}: {self.ratio(device, name, layout):.3f} of the cycles, allowed are {MOST:.2f}"
                for name, _, _ in PRODUCTS for device in self.devices for layout in LAYOUTS
                if (self.ratio(device, name, layout) or 0) > MOST]


def run(program, folder, devices, document, written=None):
    """Prints the table, or also writes it into a document; the status. `written`: another version of the compilers than the
    one of that document's table may differ."""
    costs = Costs(program, folder, devices or DEVICES)
    if document:
        before = pathlib.Path(document).read_text(encoding="utf-8")
        if not BLOCK.search(before):
            die(f"{os.path.basename(document)} has no table of layouts")
        text = BLOCK.sub(lambda match: match[1] + costs.driver + match[3] + costs.table() + match[5], before)
        pathlib.Path(document).write_text(text, encoding="utf-8")
    print(costs.table(), end="")
    version = BLOCK.search(pathlib.Path(written).read_text(encoding="utf-8"))[2] if written else costs.driver
    if version != costs.driver:
        print(f"NOT COMPARED: the figures are of {version}, the compilers here of {costs.driver}")
        return 0
    for line in costs.above():
        print(f"FAILED: {line}", file=sys.stderr)
    return 1 if costs.above() else 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], pathlib.Path(sys.argv[2]), None, None, DOCUMENT))
