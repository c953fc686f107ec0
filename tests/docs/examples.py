# SPDX-License-Identifier: Apache-2.0
"""usage: examples.py SOURCE
       examples.py SOURCE NAME <OUTPUT

Documents show what programs print in blocks without a language. The line before such a block names the example:

    <!-- example: NAME -->

With a NAME, each line of that example must be a line of OUTPUT, in the same order. Numbers may be others, N stands for
one, and ... for any text. Without, each block must have a name, and a test must compare each example.
"""
import pathlib
import re
import sys

LOG = re.compile(r"\b(error|warn|info|debug): [^ ]+\[\d+\]: ")
NUMBERS = re.compile(r"\b(?:[0-9a-f]{16}|(?=[0-9a-f]*\d)[0-9a-f]{12}|0x[0-9a-f]+)\b|\d[\d,.]*(?:e[+-]\d+)?(?<![,.])|\bN\b")
MARK = re.compile(r"<!-- (example|test): (.*) -->")


def normalised(line):
    line = NUMBERS.sub("#", LOG.sub(r"\1: PROGRAM[#]: ", line.strip()))
    return re.sub(r"(# (?:module|stage|number|case|element))s\b", r"\1", line)


def blocks(text):
    """(number of the line, mark before it, lines) of each block without a language."""
    lines, start, language = text.split("\n"), None, ""
    for number, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if start is None:
            start, language = number, line[3:]
        else:
            if not language:
                yield start + 1, MARK.fullmatch(lines[start - 1]), lines[start + 1:number]
            start = None


def missing(example, output):
    """The first line of an example that the output has not, after the lines before it."""
    printed = iter([normalised(line) for line in output])
    for line in example:
        if not line.strip(" ."):
            continue
        pattern = ".*".join(re.escape(part) for part in normalised(line).split("..."))
        if not any(re.fullmatch(pattern, real) for real in printed):
            return line
    return None


def pages(source):
    files = [source / "README.md", *sorted((source / "docs").glob("*.md")), *sorted((source / "docs/developers").glob("*.md"))]
    return {file.relative_to(source).as_posix(): file.read_text() for file in files}


def wrong(texts, scripts):
    """What is wrong with the marks. SCRIPTS: the text of all tests."""
    names = []
    for path, text in texts.items():
        for number, mark, lines in blocks(text):
            if not mark:
                yield f"{path}:{number}: the line before says neither which example this is nor how it is tested"
            elif mark[1] == "example":
                names.append(mark[2])
                if not re.search(rf"shows {re.escape(mark[2])}\b", scripts):
                    yield f"{path}:{number}: no test compares the example {mark[2]}"
        for line in re.findall(r"^    coopvk: .*$", text, re.MULTILINE):
            yield f"{path}: a message outside of blocks: {line}"
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"several examples are called {name}"


def compare(source, name, output):
    for path, text in pages(source).items():
        for number, mark, lines in blocks(text):
            if mark and mark[1] == "example" and mark[2] == name:
                line = missing(lines, output)
                return line and f"{path}:{number}: no program prints '{line.strip()}'"
    return f"no page has the example {name}"


def test():
    """Of this file itself."""
    page = "```\na\n```\n<!-- example: one -->\n```\nb\n```\n<!-- example: two -->\n```\nc\n```\n<!-- test: run -->\n```\nd\n```\n"
    assert list(wrong({"p": page}, "shows one <x")) == [
        "p:1: the line before says neither which example this is nor how it is tested",
        "p:9: no test compares the example two"]
    assert list(wrong({"p": "x\n    coopvk: error: y\n```sh\nz\n```\n"}, "")) != []
    real = ["coopvk: error: app[77]: cannot rewrite shader 0123456789abcdef: instruction Load (result %7): no, 1.5 ms"]
    for good in ("coopvk: error: PROGRAM[1]: cannot rewrite shader fedcba9876543210: instruction Load (result %42): no, 2 ms",
                 "coopvk: error: P[1]: cannot rewrite ... instruction ... ms", "..."):
        assert missing([good], real) is None, good
    for bad in ("coopvk: warn: P[1]: cannot rewrite ...", "coopvk: error: P[1]: cannot ... instruction Store ... ms",
                "instruction Load"):
        assert missing([bad], real) == bad, bad
    assert missing(["a", "b"], ["b", "a"]) == "b"


def main():
    source = pathlib.Path(sys.argv[1])
    if len(sys.argv) > 2:
        sys.exit(compare(source, sys.argv[2], sys.stdin.read().splitlines()))
    test()
    scripts = "".join(file.read_text() for file in sorted(source.glob("tests/*/*.sh")))
    sys.exit("\n".join(wrong(pages(source), scripts)) or None)


if __name__ == "__main__":
    main()
