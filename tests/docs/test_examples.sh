#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_examples.sh COOPVK RUN_APP
# What documents show of the output of programs is what these really say.
set -euo pipefail

coopvk=$1 app=$2
folder=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset "${!COOPVK_@}" "${!VK_@}" "${!XDG_@}"
export VK_DRIVER_FILES=/usr/share/vulkan/icd.d/lvp_icd.json HOME=$work COOPVK_REMEMBER=off

fail() {
    printf 'test_examples: %s\n' "$*" >&2
    exit 1
}
# shellcheck source=examples.bash
source "$folder/examples.bash"

lanes() { export LP_NATIVE_VECTOR_WIDTH=$(($1 * 32)); }
steps=(instance physical matrix-device pipeline)

# run ARGUMENT...: of `coopvk run` with emulated matrices; whatever the status.
run() { "$coopvk" run --emulate VK_KHR_cooperative_matrix "$@" 2>&1 || true; }

# compile NAME [-g]: the shader that standard input has.
compile() {
    cat >"$work/$1.comp"
    (cd "$work" && glslangValidator --quiet ${2:-} --target-env vulkan1.3 -V -o "$1.spv" "$1.comp")
}

lanes 4
# A product whose A has another number of columns than B has rows.
compile product <<'GLSL'
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float16_t data[]; };
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, 8, 16, gl_MatrixUseB> b;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c;
    coopMatLoad(a, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, data, 256, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(c, data, 512, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(coopMatMulAdd(a, b, c), data, 768, 16, gl_CooperativeMatrixLayoutRowMajor);
}
GLSL
spirv-dis --raw-id "$work/product.spv" -o "$work/product.spvasm"
deep=$(sed -n 's/^ *%\([0-9]*\) = OpConstant %[0-9]* 16$/\1/p' "$work/product.spvasm")
type_a=$(sed -n 's/.*OpCooperativeMatrixMulAddKHR %[0-9]* \(%[0-9]*\) .*/\1/p' "$work/product.spvasm")
type_a=$(sed -n "s/^ *$type_a = Op[A-Za-z]* \(%[0-9]*\) .*/\1/p" "$work/product.spvasm")
sed -E "s/^( *$type_a = OpTypeCooperativeMatrixKHR %[0-9]+ %[0-9]+ %[0-9]+) %[0-9]+ /\1 %$deep /" "$work/product.spvasm" |
    spirv-as --preserve-numeric-ids --target-env vulkan1.3 - -o "$work/refused.spv"
run -- "$app" "${steps[@]:0:3}" "shader=$work/refused.spv" pipeline >"$work/out"
shows refusal <"$work/out"

run --log-level debug --statistics -- "$app" "${steps[@]}" >"$work/out"
shows statistics < <(sed 's/run_app/test-backend-ops/g' "$work/out")
COOPVK_ENABLE=true "$coopvk" doctor -- vulkaninfo >"$work/out" 2>&1 || true
shows doctor <"$work/out"
"$coopvk" advise --runs 2 --emulate VK_KHR_cooperative_matrix -- "$app" "${steps[@]}" >"$work/out" 2>&1 || true
shows advice <"$work/out"
lanes 8
"$coopvk" run -- vulkaninfo >"$work/out" 2>&1 || true
shows nothing < <(sed 's/llvmpipe[^:]*/NVIDIA H200/' "$work/out")

# Two invocations write one word.
compile a -g <<'GLSL'
#version 460
layout(local_size_x = 16) in;
layout(binding = 0) buffer Data { float data[]; };
shared float words[16];
void main() {
    words[gl_LocalInvocationIndex % 8] = gl_LocalInvocationIndex;
    data[gl_LocalInvocationIndex] = words[gl_LocalInvocationIndex];
}
GLSL
"$coopvk" check --lanes 8 "$work/a.spv" >"$work/out" 2>&1 || true
shows race < <(sed 's/^ *native: //' "$work/out")

# Another result in place of the rewritten one.
for factor in 2 3; do
    compile times$factor <<GLSL
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) buffer C { float c[]; };
void main() {
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> x;
    coopMatLoad(x, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(x * $factor.0, c, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
GLSL
done
"$coopvk" rewrite "$work/times3.spv" --subgroup-size 8 --lines -o "$work/lines.spv"
"$coopvk" check --lanes 8 --against "$work/lines.spv" "$work/times2.spv" >"$work/out" 2>&1 || true
shows check <"$work/out"

echo 'test_examples: passed'
