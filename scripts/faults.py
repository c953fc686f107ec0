# SPDX-License-Identifier: Apache-2.0
"""The small faults that scripts/mutate plants."""
import random
import re
import sys

from common import SOURCE

# Tests of the second oracle that are of the reference device alone: its intervals, settings and exact sums.
OF_THE_DEVICE = ["*Intervals*", "*AreExactWhere*", "*FollowTheSetting*"]

# Of each folder: where its sources are, its quick tests (programs under build with variables of the environment, or
# with arguments in place of GoogleTest's, and which of their tests take long or measure), and how many of 100 faults
# these must see. The tests of reference/ do without the rewriter.
FOLDERS = {
    "rewrite": (["rewrite/src"], {"tests/rewrite/rewrite_tests": ["Growth*", "*GrowthOf*", "MemoryOf*", "LongModules*",
                                                                  "*Long*Chain*", "*.LongLists", "*.ChainsOfAnyLength",
                                                                  "*DeeplyNested*", "*DoesNotGrow*"],
                                  "tests/judge/judge_tests": [],
                                  "tests/oracle/oracle_tests COOPVK_ORACLE_REWRITES=1": OF_THE_DEVICE,
                                  "tests/programs/random_programs --count 300 --threads 1": [],
                                  "tests/inputs/inputs_tests": [],
                                  "tests/inputs/check_inputs_tests": []}, 95),
    "reference": (["reference/numbers", "reference/program", "reference/memory", "reference/checks",
                   "reference/execution", "reference/matrices"], {"tests/reference/reference_tests": [],
                                           "tests/reference/icd/reference_driver_tests": [],
                                           "tests/oracle/oracle_tests": []}, 95),
    "layer": (["layer"], {"tests/layer/layer_tests": [], "tests/tool/tool_tests": []}, 90),
}
# The Vulkan driver that a test loads, with which a fault is linked, and its manifest.
DRIVERS = {"tests/reference/icd/reference_driver_tests": ("reference/icd/libcoopvk_reference.so",
                                                          "reference/icd/coopvk_reference.json")}

# Files of another system, which no test of this one can see: those of Windows are for tests/windows.
OTHER_SYSTEM = re.compile(r"/posix" if sys.platform == "win32" else r"/windows")

# Text that clang-format puts between spaces is an operator of two operands.
OPERATORS = {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == ",
             " + ": " - ", " - ": " + ", " * ": " + ", " / ": " * ", " % ": " / ", " && ": " || ", " || ": " && ",
             " & ": " | ", " | ": " & ", " += ": " -= ", " -= ": " += ", " |= ": " &= ", " &= ": " |= ",
             "++": "--", "std::min(": "std::max(", "std::max(": "std::min(", "true": "false", "false": "true"}
# Lines that compute nothing: comments, what the preprocessor reads, texts, declarations of types.
NO_CODE = re.compile(r'^\s*(//|#|\*|namespace|using|template|class|struct|enum|static_assert|case .*:$)|"|operator')


def changes_of(line):
    """(column, end, new text) of each fault that this line of code can have."""
    if NO_CODE.search(line):
        return
    code = line.split("//")[0]
    for old, new in OPERATORS.items():
        for found in re.finditer(re.escape(old) if not old.isalpha() else rf"\b{old}\b", code):
            yield found.start(), found.end(), new
    for found in re.finditer(r"(?<![\w.'])(\d{1,4})(?![\w.'])", code):
        yield found.start(), found.end(), str(int(found[1]) + 1)
    for found in re.finditer(r"\bif \((?!const |auto |constexpr )(.*)\)( \{| return.*;| continue;| break;)$", code):
        yield found.start(1), found.end(1), f"!({found[1]})"
    for found in re.finditer(r"(?<=[( ])!(?=[\w(])", code):
        yield found.start(), found.end(), ""
    if found := re.fullmatch(r"\s+((?!return|throw|delete|co_)[\w.:>\[\]-]+\(.*\);)", code):
        yield found.start(1), found.end(1), ";"


def faults_of(folder, seed):
    """All faults of a folder, in an order that the seed chooses: (file, line, column, end, new text)."""
    faults = []
    for place in FOLDERS[folder][0]:
        for path in sorted((SOURCE / place).rglob("*.cpp")):
            if OTHER_SYSTEM.search(str(path.relative_to(SOURCE))):
                continue
            for number, line in enumerate(path.read_text().splitlines()):
                name = str(path.relative_to(SOURCE))
                faults += [(name, number, *change) for change in changes_of(line)]
    random.Random(seed).shuffle(faults)
    return faults


def text_of(fault):
    name, number, start, end, text = fault
    line = (SOURCE / name).read_text().splitlines()[number]
    return f"{name}:{number + 1}: {line.strip()}  >  {(line[:start] + text + line[end:]).strip()}"
