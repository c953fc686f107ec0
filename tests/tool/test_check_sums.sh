#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_check_sums.sh COOPVK
# `coopvk check` knows how far each number may be from another device's: sums that may overflow, and large numbers
# beside small ones, excuse no other difference. Nor does it find any in where matrices of optimal layouts lie.
set -euo pipefail

coopvk=$1 command=check
# shellcheck source=check.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/check.bash"

# compile NAME TYPE SUM: NAME.comp with these types.
compile() {
    cat - >"$work/$1.comp"
    glslangValidator --quiet --target-env vulkan1.3 -DTYPE="$2" -DSUM="$3" -V -o "$work/$1.spv" "$work/$1.comp"
}

header='#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : enable
#extension GL_NV_cooperative_vector : enable
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_bfloat16 : enable
#extension GL_EXT_float_e4m3 : enable
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;'

# product NAME TYPE SUM SCALE RESULT [MORE]: A and B of TYPE, A times SCALE; RESULT of the sums z is stored.
product() {
    compile "$1" "$2" "$3" <<GLSL
$header
layout(binding = 0) readonly buffer A { TYPE a[]; };
layout(binding = 1) buffer C { SUM c[]; };
void main() {
    coopmat<TYPE, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> x;
    coopmat<TYPE, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> y;
    coopMatLoad(x, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(y, a, 256, 16, gl_CooperativeMatrixLayoutRowMajor);
    for (int i = 0; i < x.length(); ++i) x[i] = TYPE(float(x[i]) * $4);
    coopmat<SUM, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> z =
        coopmat<SUM, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(SUM(0.0));
    z = coopMatMulAdd(x, y, z);
    coopMatStore($5, c, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    ${6:-}
}
GLSL
}

zeros='coopmat<SUM, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(SUM(0.0))'
# Sums of f16 pass 65,504 from some orders on, those of f32 3.4e38.
while read -r name type sum scale; do
    product "$name" "$type" "$sum" "$scale" z
    product "$name-zero" "$type" "$sum" "$scale" "$zeros"
    expect 0 '32 lanes, core: agrees' --lanes 32 "$work/$name.spv"
    expect 0 '8 lanes, core: agrees' --lanes 8 --any-values "$work/$name.spv"
    expect 1 '32 lanes, auto, plain schedule: differs' --lanes 32 --against "$work/$name-zero.spv" "$work/$name.spv"
done <<'ROWS'
half float16_t float16_t 2048.0
brief bfloat16_t float32_t 1e38
briefSum bfloat16_t bfloat16_t 1e38
single float16_t float32_t 2048.0
narrow floate4m3_t float16_t 96.0
ROWS

# Large numbers in the same buffer: the others are still compared.
more='coopMatStore(z * 1e30, c, 256, 16, gl_CooperativeMatrixLayoutRowMajor);'
product large float16_t float32_t 0.37 z "$more"
product large-wrong float16_t float32_t 0.37 'z * 1.001' "$more"
expect 0 '32 lanes, core: agrees' --lanes 32 --any-values "$work/large.spv"
expect 1 'differs' --lanes 32 --any-values --against "$work/large-wrong.spv" "$work/large.spv"

# vector NAME SCALE RESULT: half sums of vectors, and sums in memory for training.
vector() {
    compile "$1" float16_t float16_t <<GLSL
$header
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) buffer C { float16_t c[]; };
void main() {
    coopvecNV<float16_t, 16> x, y;
    coopVecLoadNV(x, a, gl_LocalInvocationIndex * 32);
    x = x * float16_t($2);
    coopVecMatMulNV(y, x, gl_ComponentTypeFloat16NV, a, 0, gl_ComponentTypeFloat16NV, 16, 16,
                    gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 32);
    $3
}
GLSL
}
store='coopVecStoreNV(y, c, gl_LocalInvocationIndex * 32);'
vector sums 2048 "$store"
vector sums-zero 2048 "${store/y,/y * float16_t(0),}"
expect 0 '32 lanes, core: agrees' --lanes 32 "$work/sums.spv"
expect 1 'differs' --lanes 32 --against "$work/sums-zero.spv" "$work/sums.spv"
expect_training() {
    expect 0 '32 lanes, core: agrees' --lanes 32 "$work/$1.spv"
    expect 1 'differs' --lanes 32 --against "$work/$1-zero.spv" "$work/$1.spv"
}
training='coopVecReduceSumAccumulateNV(x, c, 0);'
vector training 2048 "$training"
vector training-zero 2048 "${training/x,/x * float16_t(0),}"
expect_training training
outer='coopVecOuterProductAccumulateNV(x, x, c, 0, 32, gl_CooperativeVectorMatrixLayoutTrainingOptimalNV,
    gl_ComponentTypeFloat16NV);'
vector outer 256 "$outer"
vector outer-zero 256 "${outer/x,/x * float16_t(0),}"
expect_training outer

# Where rows of optimal layouts start, and what fills them up, also where other numbers are NaN.
modules=$(dirname -- "${BASH_SOURCE[0]}")/../inputs/modules
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/lines.spv" "$modules/vector_optimal_lines.comp"
expect 0 '8 lanes, native: agrees' --lanes 8 "$work/lines.spv"
