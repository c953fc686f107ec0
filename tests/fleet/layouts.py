# SPDX-License-Identifier: Apache-2.0
"""What layouts of elements cost (scripts/fleet --layouts): cycles of tests/fleet/layouts/product.comp with a layout, relative
to those without one."""
import json
import os
import re
import sys

from common import SOURCE, die, in_env

SHADER = SOURCE / "tests/fleet/layouts/product.comp"
DEVICES = ("navi21", "navi31", "turing", "m1")
LAYOUTS = ("rdna4", "nvidia")
MOST = 1.10  # a layout may cost 10 %
LANES = 32  # for which each layout has a map
HALVES, BYTES = ("FACTOR=float16_t", "BITS=16"), ("FACTOR=int8_t", "BITS=8")
SMALL_FLOATS = ("FACTOR=floate4m3_t", "BITS=8")
# The file's name, the row's, and what is defined.
PRODUCTS = (
    ("tiles_f32", "f16 into f32, tiles of 32x64 from shared memory", (*HALVES, "SUM=float", "SHARED", "ROWS")),
    ("tiles_f16", "f16 into f16, the same", (*HALVES, "SUM=float16_t", "SHARED", "ROWS")),
    ("tiles_s8", "bytes into 32 bits, the same", (*BYTES, "SUM=int", "SHARED", "ROWS")),
    ("tiles_e4m3", "E4M3 into f32, the same", (*SMALL_FLOATS, "SUM=float", "SHARED", "ROWS")),
    ("buffers_f32", "f16 into f32, 16x32 from buffers", (*HALVES, "SUM=float")),
    ("buffers_f16", "f16 into f16, the same", (*HALVES, "SUM=float16_t")),
    ("buffers_f16_rows", "f16 into f16, the same, B in rows", (*HALVES, "SUM=float16_t", "ROWS")),
    ("buffers_e4m3", "E4M3 into f32, 16x32 from buffers", (*SMALL_FLOATS, "SUM=float")),
)
BLOCK = re.compile(r"(<!-- layouts: written by scripts/fleet --layouts --write -->\n\n)(.*?)(\n<!-- end of layouts -->)", re.DOTALL)


def compile_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.spv"):
        old.unlink()
    for name, _, defined in PRODUCTS:
        in_env("glslang", "--quiet", "--target-env", "vulkan1.3", *(f"-D{word}" for word in defined), SHADER, "-o",
               folder / f"{name}.spv", check=True)


def cycles(program, folder, devices, layout):
    """By device and shader."""
    result = folder / f"{layout}.json"
    chosen = [word for name in devices for word in ("--device", name)]
    done = in_env("env", f"COOPVK_ELEMENT_LAYOUT={layout}", program, *chosen, "--no-built-in", "--lanes", str(LANES), "--folder",
                  f"{folder}=layouts", "--json", result, stdout=sys.stderr)
    if done.returncode != 0:
        die(f"a shader was not compiled with the layout {layout}")
    return {(row["device"], row["subject"].rpartition("/")[2]): row["statistics"]["cycles"]
            for row in json.loads(result.read_text())}


def measure(program, folder, devices):
    """The table, and what is above the limit."""
    compile_all(folder)
    found = {layout: cycles(program, folder, devices, layout) for layout in ("free", *LAYOUTS)}
    heads = [f"{device}: `{layout}`" if layout == LAYOUTS[0] else f"`{layout}`" for device in devices for layout in LAYOUTS]
    lines = ["| product | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    above = []
    for name, row, _ in PRODUCTS:
        cells = []
        for device in devices:
            free = found["free"].get((device, name))
            for layout in LAYOUTS:
                taken = found[layout].get((device, name))
                cells.append(f"{taken / free:.2f}" if free and taken else "")
                if free and taken and taken > MOST * free:
                    above.append(f"{device}, {row}, {layout}: {taken:,.0f} cycles in place of {free:,.0f}")
        if any(cells):
            lines.append(f"| {row} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n", above


def run(program, folder, devices, document):
    """Prints the table, or writes it into a document; the status."""
    text, above = measure(program, folder, devices or DEVICES)
    if document:
        with open(document, encoding="utf-8") as file:
            before = file.read()
        if not BLOCK.search(before):
            die(f"{os.path.basename(document)} has no table of layouts")
        with open(document, "w", encoding="utf-8") as file:
            file.write(BLOCK.sub(lambda match: match[1] + text + match[3], before))
    print(text, end="")
    for line in above:
        print(f"FAILED: {line}", file=sys.stderr)
    return 1 if above else 0
