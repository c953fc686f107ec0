#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compile.py TABLE GLSLANG OUTPUT: the shaders of a table of pairs (README.md), as a C++ header.

The header has a row for each pair: name, check, options, words of the right and the faulty program.
"""
import pathlib
import subprocess
import sys
import tempfile

TARGET = ["-V", "--target-env", "vulkan1.3", "--quiet"]


class Pair:
    def __init__(self, header, line):
        fields = [field.strip() for field in header[2:].split("|")]
        self.name, self.check = fields[:2]
        options = fields[2].split() if len(fields) > 2 else []
        self.vulkan = "vulkan" in options
        self.numbers = {"size": 8, "groups": 1}
        for option in options:
            if "=" in option:
                key, value = option.split("=")
                self.numbers[key] = int(value)
        self.line = line
        self.lines = []

    def text(self, folder, right):
        """GLSL of one of the two programs."""
        other = "-" if right else "+"
        globals_, body = [], []
        for number, line in self.lines:
            target = globals_ if line.startswith("@") else body
            line = line[1:] if line.startswith("@") else line
            if line[:1] != other:
                target += [f"#line {number}", line[1:]]
        parts = ["#version 460"]
        if self.vulkan:
            parts.append("#pragma use_vulkan_memory_model")
        parts.append((folder / "preamble.glsl").read_text())
        if self.vulkan:
            parts.append((folder / "preamble_vulkan.glsl").read_text())
        parts.append(f"layout(local_size_x = {self.numbers['size']}) in;")
        return "\n".join([*parts, *globals_, "void main() {", *body, "}", ""])


def read(table):
    pairs = []
    for number, line in enumerate(table.read_text().splitlines(), 1):
        if line.startswith("=="):
            pairs.append(Pair(line, number))
        elif line.strip() and not line.startswith("#"):
            pairs[-1].lines.append((number, line))
    return pairs


def compile_words(glslang, text, where):
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "a.comp"), pathlib.Path(folder, "a.spv")
        source.write_text(text)
        done = subprocess.run([glslang, *TARGET, "-o", target, source], capture_output=True,
                              text=True)
        if done.returncode:
            sys.exit(f"{where}: {done.stdout}{done.stderr}")
        return memoryview(target.read_bytes()).cast("I")


def main():
    table, glslang, output = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    arrays, rows = [], []
    for number, pair in enumerate(read(table)):
        names = []
        for right in (True, False):
            words = compile_words(glslang, pair.text(table.parent, right),
                                  f"{table.name}:{pair.line} ({pair.name})")
            names.append(f"k{number}{'Right' if right else 'Faulty'}")
            arrays.append(f"const uint32_t {names[-1]}[] = {{{','.join(map(str, words))}}};")
        rows.append(f'{{"{pair.name}", "{pair.check}", {pair.numbers["groups"]}, '
                    f"{names[0]}, {names[1]}}},")
    output.write_text("\n".join([*arrays, "const Pair kPairs[] = {", *rows, "};", ""]))


if __name__ == "__main__":
    main()
