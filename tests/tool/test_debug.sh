#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_debug.sh COOPVK
# `coopvk check --debug`: what commands show, on both sides, and what they say of mistakes.
set -euo pipefail

coopvk=$1 command=check
# shellcheck source=check.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/check.bash"
# shellcheck source=../docs/examples.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/../docs/examples.bash"

# debug ARGUMENT... <COMMANDS: what the debugger says, in $said.
debug() {
    local rc=0
    said=$("$coopvk" check --debug "$@" 2>&1) || rc=$?
    [[ $rc == 0 ]] || fail "status $rc: $*"$'\n'"$said"
}

# says TEXT...: in this order.
says() {
    local rest=$said text
    for text; do
        [[ $rest == *"$text"* ]] || fail "no '$text' in"$'\n'"$said"
        rest=${rest#*"$text"}
    done
}

# compile NAME: the shader that the standard input has.
compile() {
    cat >"$work/$1.comp"
    (cd "$work" && glslangValidator --quiet "${@:2}" --target-env vulkan1.3 -V -o "$1.spv" "$1.comp")
}

docs=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../docs" && pwd)
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/product.spv" "$docs/subgroup_product.comp"

# What the rewriter makes of it, with a fault: behind the product, lane 13 adds 1 to its sums.
"$coopvk" rewrite "$work/product.spv" --subgroup-size 32 --lines -o "$work/rewritten.spv"
python3 -B "$docs/wrong_lane.py" "$work/rewritten.spv" "$work/wrong.spv"
wrong=("$work/product.spv" --lanes 32 --against "$work/wrong.spv")

# A wrong lane is found by a newcomer in five commands: which one it is, what it has, and what computes that.
product=$(spirv-dis --raw-id "$work/product.spv" | sed -n 's/^ *\(%[0-9]*\) = OpCooperativeMatrixMulAddKHR .*/\1/p')
debug "${wrong[@]}" <<COMMANDS
compare
break ${product}[1,10]
run
back
print more
COMMANDS
says 'differs' 'rewritten> compare' 'equal before it: ' " = OpCooperativeMatrixMulAddKHR " \
    '8 of 256 elements differ, held by lane 13 (8 of its 8)' 'the first is [1,10]: ' "* differs; break %z" \
    'rewritten> run' "%z = OpCompositeConstruct " "of the original's $product = OpCooperativeMatrixMulAddKHR" 'lane 13' \
    'rewritten> back' ' = OpFAdd ' 'rewritten> print more' 'lanes 0-12: 0' 'lane 13: 1' 'lanes 14-31: 0'
shows debug <<<"$said"

# Back to who wrote the first wrong number, and to who wrote what it wrote.
debug "${wrong[@]}" <<'COMMANDS'
who
where
who 0.1:104
list 1
back
back 100000
COMMANDS
says 'rewritten> who' 'OpStore %' "of the original's OpCooperativeMatrixStoreKHR" 'lane 13' 'in lane 13: ' ' = byte 104' \
    'written here; the write before:' 'nothing wrote set 0, binding 1, byte 104 before' '=> ' ' OpStore %' \
    'rewritten> back' ' = OpAccessChain ' 'error: only ' ' instructions are before this one'

# A matrix is one on both sides, whoever holds it: what memory has at its row and column.
debug "$work/product.spv" --lanes 32 <<'COMMANDS'
break y
run
print y[3,5]
lanes y
side native
run
print y[3,5]
memory 0.0:618 1
print y
COMMANDS
says 'agrees' '[1] y' 'rewritten> print y[3,5]' '%y[3,5] = ' 'held by lane ' '+ others hold it, too' 'rewritten> side native' \
    'native> run' 'OpStore %y ' 'lanes 0-31' 'native> print y[3,5]' '%y[3,5] = ' 'byte 618: ' '16 x 16 matrix of f16 (B)'
element=$(sed -n 's/^%y\[3,5\] = \([^ ]*\) .*/\1/p' <<<"$said" | uniq)
[[ $said == *"byte 618: $element"* ]] || fail "the element is not '$element':"$'\n'"$said"

# Matrices of a workgroup, bytes, and other subgroup sizes: everything is equal, with the layout of the rewritten module.
compile workgroup <<'GLSL'
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer A { int8_t a[]; };
layout(binding = 1) buffer C { int c[]; };
void main() {
    coopmat<int8_t, gl_ScopeWorkgroup, 32, 64, gl_MatrixUseA> x;
    coopmat<int8_t, gl_ScopeWorkgroup, 64, 48, gl_MatrixUseB> y;
    coopMatLoad(x, a, 0, 64, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(y, a, 4096, 64, gl_CooperativeMatrixLayoutColumnMajor);
    coopmat<int, gl_ScopeWorkgroup, 32, 48, gl_MatrixUseAccumulator> z =
        coopmat<int, gl_ScopeWorkgroup, 32, 48, gl_MatrixUseAccumulator>(1);
    z = coopMatMulAdd(x, y, z);
    coopMatStore(z, c, 0, 48, gl_CooperativeMatrixLayoutRowMajor);
}
GLSL
for case in product:4 product:8 product:16 workgroup:16 workgroup:64; do
    debug "$work/${case%:*}.spv" --lanes "${case#*:}" --back-end core <<<compare
    says 'rewritten> compare' 'equal: %'
    [[ $said != *'not comparable'* && $said != *differ* ]] || fail "$said"
done

# Lines, reports, bytes, barriers between subgroups; scalars and vectors of each lane.
compile race -g <<'GLSL'
#version 460
layout(local_size_x = 16) in;
layout(binding = 0) buffer Data { float data[]; };
shared float words[16];
void main() {
    uvec2 pair = uvec2(gl_LocalInvocationIndex / 4, 7);
    words[gl_LocalInvocationIndex % 8] = float(pair.x);
    barrier();
    data[gl_LocalInvocationIndex] = words[gl_LocalInvocationIndex];
}
GLSL
debug "$work/race.spv" --lanes 8 <<'COMMANDS'
break race.comp:6
break report races
break 0.0:40
break shared:4+4
run
print pair
lane 5
delete 1
continue
continue
continue
lanes
breaks
delete 4
# Some instructions ahead, and a line.
back 5
step 2
next
COMMANDS
says '8 lanes: undefined' 'native> break race.comp:6' '[1] race.comp:6' 'native> run' '[1] ' 'race.comp:6, word' \
    'native> print pair' 'vector of 2 u32' 'lanes 0-3: 0 7' 'lanes 4-7: 1 7' 'native> lane 5' 'lane 5' \
    'native> continue' '[4] OpStore ' 'subgroup 0' 'native> continue' '[2] [4] OpStore ' 'report: races: writes shared memory' \
    'subgroup 1' 'native> continue' '[3] OpStore' 'native> lanes' 'subgroup 0: ' 'subgroup 1: ' 'native> breaks' '[4] shared:4+4' \
    'native> back 5' 'race.comp:9' 'native> step 2' 'race.comp:9' 'native> next' 'OpStore' 'race.comp:9'

# What is wrong is said, and the next command is read; an input that ends is an end.
printf '%s\n' 'nonsense' 'print %1' 'break nowhere' 'break OpNothing' 'break %4[1]' 'break %99999' 'break 7.7:0' 'break 0.1:x' \
    'break a.comp:900' 'break word 1' 'break report x' 'side left' 'step x' 'who 0.1:99999999' 'lane 4' 'memory' 'p' 'run 3' \
    'b' 'delete 9' 'help who' 'run' 'print z' 'continue' >"$work/commands"
debug "${wrong[@]}" --commands "$work/commands"
says "error: there is no command 'nonsense'" 'error: nothing is executed yet' "error: there is no id or name 'nowhere'" \
    'error: no instruction is OpNothing' 'error: an element is %4[ROW,COLUMN]' "error: there is no id or name '%99999'" \
    'error: there is no buffer 7.7: there are set 0, binding 0; set 0, binding 1' "error: '0.1:x' is no byte" \
    'error: no instruction is at the line a.comp:900' 'error: no instruction is at word 1' "error: there is no check 'x': races" \
    'error: the sides are native and rewritten' "error: 'x' is no number" 'error: set 0, binding 1 has 65536 bytes' \
    'error: nothing is executed yet' 'error: usage: memory BYTE' 'error: print what' 'error: usage: run' \
    'error: nothing is executed yet' 'error: there is no breakpoint 9' 'who [BYTE] (w)' 'the execution has ended, after ' \
    'error: the execution has ended' 'error: the execution has ended'
expect 2 "cannot read $work/none" --debug --commands "$work/none" "$work/product.spv" </dev/null

# A picture of the same fault: the errors, and who stored the elements on both sides, without scripts or other files.
rc=0
"$coopvk" check "${wrong[@]}" --html "$work/page.html" >"$work/said" 2>&1 || rc=$?
[[ $rc == 1 ]] || fail "status $rc: $(<"$work/said")"
said=$(<"$work/page.html")
says '<!DOCTYPE html>' '<title>coopvk check</title>' 'lanes, ' 'differs' 'set 0, binding 1: 16 x 16 matrix of f32 (accumulator)' \
    '8 of 256 elements differ, by at most 1.' 'role="img"' 'errors: ' 'native: the invocations that stored the elements' \
    'rewritten: the invocations that stored the elements' '<details>' '</html>'
[[ $said != *'<script'* && $said != *'http'* ]] || fail 'the page needs more than itself'
# Each picture marks the eight elements; the last one says that lane 13 has them.
[[ $(grep -o 'class="wrong"' <<<"$said" | wc -l) == 24 ]] || fail 'other elements are marked'
[[ $(grep -c '^<tr><td>[0-9]*</td><td>1[01]</td><td>.*</td><td>13</td></tr>$' <<<"$said") == 8 ]] || fail 'other lanes are named'
python3 -c 'import sys, xml.dom.minidom as dom
page = open(sys.argv[1]).read().replace("<!DOCTYPE html>\n", "").replace("<meta charset=\"utf-8\">", "")
dom.parseString(page)' "$work/page.html" || fail 'the page is not well formed'
"$coopvk" check "$work/product.spv" --lanes 32 --html "$work/equal.html" >/dev/null
grep -q 'Nothing differs: there is no picture.' "$work/equal.html" || fail "$(<"$work/equal.html")"
expect 2 'cannot write ' --html "$work/none/page.html" --lanes 32 "$work/product.spv"
echo 'test_debug: passed'
