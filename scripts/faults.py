# SPDX-License-Identifier: Apache-2.0
"""The small faults that scripts/mutate plants."""
import random
import re
import sys

from common import SOURCE

# Tests of the second oracle that are of the reference device alone: its intervals, settings and exact sums.
OF_THE_DEVICE = ["*Intervals*", "*AreExactWhere*", "*FollowTheSetting*"]


def driver_tests(lanes, extensions, shards, *variables):
    """Driver tests on the reference device through the layer, one in `shards`: a program with its variables."""
    return " ".join([
        "tests/driver/driver_tests", "VK_DRIVER_FILES={build}/reference/icd/coopvk_reference.json", "COOPVK_ENABLE=1",
        "COOPVK_REMEMBER=off", "COOPVK_VALIDATE_OUTPUT=1", f"COOPVK_REFERENCE_SUBGROUP_SIZE={lanes}",
        f"COOPVK_TEST_SUBGROUP_SIZE={lanes}", f"COOPVK_REFERENCE_EXTENSIONS={extensions}", "COOPVK_TEST_COVERS=values",
        f"GTEST_TOTAL_SHARDS={shards}", f"GTEST_SHARD_INDEX={shards // 2}", *variables])


SLOW_DRIVER_TESTS = ["Convert.Large", "ConvertCommands.RecordedAgain"]
OWN_MATRICES = "VK_KHR_cooperative_matrix"  # of the driver
# As tests/driver has them: all that coopvk emulates; matrices of workgroups, vectors, and matrices of other extensions,
# by the driver's matrices.
DRIVER_TESTS = {
    driver_tests(32, "none", 2, "COOPVK_EMULATE=all"): SLOW_DRIVER_TESTS,
    driver_tests(8, OWN_MATRICES, 1, "COOPVK_BACK_END=native", "COOPVK_TEST_NATIVE_BACK_END=1",
                 "COOPVK_EMULATE=VK_NV_cooperative_matrix2,VK_NV_cooperative_matrix_decode_vector",
                 "GTEST_FILTER=*DecodedProduct*:*TileProduct*:*Matrix2Attention*:*lengths_of_tiles*"):
        ["*Bytes*", "*6x4x4*"],
    driver_tests(8, OWN_MATRICES, 1, "COOPVK_BACK_END=native", "COOPVK_EMULATE=VK_NV_cooperative_vector",
                 "GTEST_FILTER=*VectorMultiply*f16_f16_f16_f*:*VectorMultiply*e?m?*:*VectorMultiply*s8_s8_s8_s32*:"
                 "*VectorProgram*:*VectorTraining*Inference*"): [],
    driver_tests(8, OWN_MATRICES, 1, "COOPVK_BACK_END=native",
                 "COOPVK_EMULATE=VK_NV_cooperative_matrix,VK_QCOM_cooperative_matrix_conversion",
                 "GTEST_FILTER=*Qcom*:*NvRoles*:*NvLoadStore*"):
        ["*UndefMoves*", "*_smaller", "*BytesAsVectors", "*LengthAsArraySize"],  # that become core code
    driver_tests(32, OWN_MATRICES, 7,
                 "COOPVK_EMULATE=auto,VK_NV_cooperative_matrix,VK_QCOM_cooperative_matrix_conversion"):
        SLOW_DRIVER_TESTS + ["FloatAtomics.*", "Routes.EmulationReallyHappens", "BadCodeInfos.*", "*ElementCopies*",
                             "*Unlisted*", "Devices.NothingRestsOnNativeMatrices"],
    driver_tests(8, "none", 9, "COOPVK_EMULATE=all"): SLOW_DRIVER_TESTS,
}
# What takes less than a second of what is proved.
PROOFS = ("tests/inputs/prove_inputs long_vector_pairs poison_and_freeze long_vectors_of_cooperative_types "
          "bits_of_small_floats rounding_of_scalars float8_without_matrices conversions_in_loops hlsl_long_vector_bits "
          "long_vector_bfloat16_dot")

# Of each folder: where its sources are, its quick tests (programs under build with variables of the environment, or
# with arguments in place of GoogleTest's, and which of their tests take long or measure), and how many of 100 faults
# these must see. The tests of reference/ do without the rewriter.
FOLDERS = {
    "rewrite": (["rewrite/src"], {"tests/rewrite/rewrite_tests": ["Growth*", "*GrowthOf*", "MemoryOf*", "LongModules*",
                                                                  "*Long*Chain*", "*.LongLists", "*.ChainsOfAnyLength",
                                                                  "*DeeplyNested*", "*DoesNotGrow*"],
                                  "tests/judge/judge_tests": [],
                                  "tests/inputs/inputs_tests": [],
                                  "tests/inputs/check_inputs_tests": [],
                                  "tests/fuzz/replay_rewrite --changes 20000 {source}/tests/fuzz/corpus/rewrite": [],
                                  "tests/fuzz/replay_execution --changes 300 {source}/tests/fuzz/corpus/rewrite": [],
                                  PROOFS: [],
                                  "tests/programs/random_programs --count 300 --threads 1": [],
                                  **DRIVER_TESTS,
                                  "tests/oracle/oracle_tests COOPVK_ORACLE_REWRITES=1": OF_THE_DEVICE}, 95),
    "reference": (["reference/numbers", "reference/program", "reference/memory", "reference/checks",
                   "reference/execution", "reference/matrices"], {"tests/reference/reference_tests": [],
                                           "tests/reference/icd/reference_driver_tests": [],
                                           "tests/oracle/oracle_tests": []}, 95),
    "layer": (["layer"], {"tests/layer/layer_tests": [], "tests/tool/tool_tests": [],
                          driver_tests(8, "none", 5, "COOPVK_EMULATE=all"): SLOW_DRIVER_TESTS}, 90),
}
# What a test loads, with which a fault is linked: the library, its manifest, where that names it, and what names that.
LOADED = {
    "tests/reference/icd/reference_driver_tests": ("reference/icd/libcoopvk_reference.so",
                                                   "reference/icd/coopvk_reference.json", "ICD", "VK_DRIVER_FILES"),
    "tests/driver/driver_tests": ("layer/libVkLayer_coopvk.so", "layer/VkLayer_coopvk.json", "layer",
                                  "VK_IMPLICIT_LAYER_PATH"),
}

# Files of another system, which no test of this one can see: those of Windows are for tests/windows.
OTHER_SYSTEM = re.compile(r"/posix" if sys.platform == "win32" else r"/windows")

# Text that clang-format puts between spaces is an operator of two operands.
OPERATORS = {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == ",
             " + ": " - ", " - ": " + ", " * ": " + ", " / ": " * ", " % ": " / ", " && ": " || ", " || ": " && ",
             " & ": " | ", " | ": " & ", " += ": " -= ", " -= ": " += ", " |= ": " &= ", " &= ": " |= ",
             "++": "--", "std::min(": "std::max(", "std::max(": "std::min(", "true": "false", "false": "true"}
# Lines that compute nothing: comments, what the preprocessor reads, texts, declarations of types, memory ahead of its use.
NO_CODE = re.compile(r'^\s*(//|#|\*|namespace|using|template|class|struct|enum|static_assert|case .*:$)|"|operator|\.reserve\(')
# What was measured for each class of devices: another number is another speed, and no fault.
MEASURED = ("rewrite/src/plan/classes.cpp",)


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
            if OTHER_SYSTEM.search(str(path.relative_to(SOURCE))) or str(path.relative_to(SOURCE)) in MEASURED:
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
