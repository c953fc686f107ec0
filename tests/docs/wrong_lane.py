#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: wrong_lane.py REWRITTEN.spv WRONG.spv

Puts a fault into a rewritten product of subgroup_product.comp, to try the debugger: behind the product, lane 13 adds 1
to its sums. Needs SPIRV-Tools."""
import re
import subprocess
import sys


def with_fault(text):
    def find(pattern):
        return re.search(pattern, text, re.MULTILINE)[1]

    single = find(r"^ *(%\d+) = OpTypeFloat 32$")
    word = find(r"^ *(%\d+) = OpTypeInt 32 0$")
    lane = find(r"OpName (%\d+) \"coopvk_lane\"")
    function = find(r"OpName (%\d+) \"coopvk_muladd")
    call, product, held = re.search(
        rf"^ *((%\d+) = OpFunctionCall (%\d+) {function} .*\n)", text, re.MULTILINE).groups()
    constants = f"%thirteen = OpConstant {word} 13\n%one = OpConstant {single} 1\n%zero = OpConstant {single} 0\n"
    truth = "%truth"
    if "OpTypeBool" in text:
        truth = find(r"^ *(%\d+) = OpTypeBool")
    else:
        constants += "%truth = OpTypeBool\n"
    fault = call.replace(product + " =", "%whole =")
    fault += f"%its_lane = OpLoad {word} {lane}\n%is_wrong = OpIEqual {truth} %its_lane %thirteen\n"
    fault += f"%more = OpSelect {single} %is_wrong %one %zero\n"
    for i in range(8):  # the elements of a lane
        fault += f"%part_{i} = OpCompositeExtract {single} %whole {i}\n%sum_{i} = OpFAdd {single} %part_{i} %more\n"
    fault += f"{product} = OpCompositeConstruct {held} " + " ".join(f"%sum_{i}" for i in range(8)) + "\n"
    main = re.search(r"^ *%\d+ = OpFunction ", text, re.MULTILINE)[0]
    text = text.replace(call, fault).replace("OpName ", 'OpName %more "more"\nOpName ', 1)
    return text.replace(main, constants + main, 1)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    text = subprocess.run(["spirv-dis", "--raw-id", sys.argv[1]], check=True, capture_output=True, text=True).stdout
    subprocess.run(["spirv-as", "--preserve-numeric-ids", "--target-env", "spv1.6", "-", "-o", sys.argv[2]],
                   input=with_fault(text), check=True, text=True)


main()
