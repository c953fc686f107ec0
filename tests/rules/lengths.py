# SPDX-License-Identifier: Apache-2.0
"""The lengths of source files, and of the functions in them, in lines."""
import ast
import re

RAW_STRING = re.compile(r'R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"', re.DOTALL)
BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
CONTROL = re.compile(r"(if|else|for|while|switch|do|try|catch|case|default|return)\b")
SCOPE = re.compile(r"(template ?<.*> ?)?(struct|class|union|namespace|extern \"C\")")
NAME = re.compile(r"([\w:~]+|operator\W+)\s*\((?:(\w+), (\w+)\) \{)?")


def without_text(source):
    """The lines of C++ without raw strings and comments: a shader in a function is no code of it."""
    source = BLOCK_COMMENT.sub("", RAW_STRING.sub('""', source))
    return [re.sub(r"\s*//.*", "", line) for line in source.split("\n")]


def indent(line):
    return len(line) - len(line.lstrip())


def declaration(lines, last):
    """The first line of the declaration that ends with the brace in `last`."""
    first = last
    while first > 0 and (indent(lines[first]) % 4 or lines[first].lstrip().startswith(":")
                         or not re.match(r"\s*($|#)|.*[;{}:]\s*$|.*\},\s*$", lines[first - 1])):
        first -= 1
    return first


def is_member(lines, first):
    """Whether what begins in the line `first` is directly in a class or in a namespace."""
    level = indent(lines[first])
    around = (line for line in reversed(lines[:first]) if line.strip() and indent(line) < level
              and not line.rstrip().endswith(":"))
    return level == 0 or SCOPE.match(next(around, "").lstrip()) is not None


def cpp_functions(source):
    """(name, lines) of each function. The code is formatted: a body ends at the indent where it began."""
    lines = without_text(source)
    end = 0  # of the function that was found last
    for place, line in enumerate(lines):
        if place < end or not line.rstrip().endswith("{"):
            continue
        first = declaration(lines, place)
        head = " ".join(part.strip() for part in lines[first:place + 1])
        name = NAME.search(head)
        if SCOPE.match(head) or CONTROL.match(head) or not name or "=" in head[:name.start()]:
            continue
        if not is_member(lines, first):
            continue
        level = indent(lines[first])
        end = next((at for at in range(place + 1, len(lines))
                    if lines[at].startswith(" " * level + "}")),
                   len(lines) - 1)
        is_test = name.group(1).isupper() and name.group(2)  # TEST(A, B) {
        yield ".".join(name.groups()[1:]) if is_test else name.group(1), end - first + 1


def python_functions(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            yield node.name, node.end_lineno - node.lineno + 1


def shell_functions(source):
    lines = source.split("\n")
    for place, line in enumerate(lines):
        name = re.match(r"([\w-]+)\(\) \{$", line)
        if name:
            yield name.group(1), lines.index("}", place) - place + 1


FUNCTIONS = {".cpp": cpp_functions, ".hpp": cpp_functions, ".c": cpp_functions, ".h": cpp_functions,
             ".py": python_functions, ".sh": shell_functions, ".bash": shell_functions}
