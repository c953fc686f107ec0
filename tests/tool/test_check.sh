#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_check.sh COOPVK
# `coopvk check` finds what was planted, and says what it cannot execute.
set -euo pipefail

coopvk=$1 command=check
# shellcheck source=check.bash
source "$(dirname -- "${BASH_SOURCE[0]}")/check.bash"

# shader NAME RESULT [BEFORE]: matrices of which RESULT is stored.
shader() {
    cat >"$work/$1.comp" <<GLSL
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) buffer C { float c[]; };
layout(push_constant) uniform P { uint stride; };
shared float nothing[4];
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> x;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> y;
    coopMatLoad(x, a, 0, stride, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(y, a, 256, stride, gl_CooperativeMatrixLayoutRowMajor);
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> z =
        coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    z = coopMatMulAdd(x, y, z);
    ${3:-}
    coopMatStore($2, c, gl_SubgroupID * 256, 16, gl_CooperativeMatrixLayoutRowMajor);
}
GLSL
    glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/$1.spv" "$work/$1.comp"
}

shader product z
shader wrong 'z + z'
shader unwritten 'z * nothing[2]'
shader endless z 'while (c[0] < 1e30) c[1] = 1.0;'

expect 0 '32 lanes, core: agrees' --lanes 4,32 "$work/product.spv"
expect 0 '"verdict": "agrees"' --json --lanes 8 --any-values "$work/product.spv"
expect 0 '16 lanes, native: agrees' --lanes 16 --seed 7 --push 32 "$work/product.spv"
expect 2 '64 lanes, core: not applicable' --lanes 64 "$work/product.spv"
expect 2 '--spec 7=1: the module has no specialization constants' --spec 7=1 "$work/product.spv"

# Another result, with its place.
expect 1 'differs' --lanes 32 --against "$work/wrong.spv" "$work/product.spv"
expect 1 'set 0, binding 1, byte ' --lanes 32 --against "$work/wrong.spv" "$work/product.spv"
expect 1 '"native": ' --json --lanes 32 --against "$work/wrong.spv" "$work/product.spv"
# What wrote it, on both sides: instruction, values, place.
expect 1 'native: last written by OpCooperativeMatrixStoreKHR ' --lanes 32 \
    --against "$work/wrong.spv" "$work/product.spv"
expect 1 'rewritten: last written by OpCooperativeMatrixStoreKHR ' --lanes 32 \
    --against "$work/wrong.spv" "$work/product.spv"
# In the rewriter's output, the instruction of the original.
"$coopvk" rewrite "$work/wrong.spv" --subgroup-size 8 --lines -o "$work/wrong_lines.spv"
expect 1 'rewritten: last written by OpStore at input OpCooperativeMatrixStoreKHR, word:' --lanes 8 \
    --against "$work/wrong_lines.spv" "$work/product.spv"
"$coopvk" rewrite "$work/unwritten.spv" --subgroup-size 8 --lines -o "$work/unwritten_lines.spv"
expect 1 ' at input OpLoad, word:' --lanes 8 --against "$work/unwritten_lines.spv" "$work/product.spv"
# The module that takes the place of the rewritten one reads what nothing wrote.
expect 1 'rewritten: unwritten' --lanes 32 --against "$work/unwritten.spv" "$work/product.spv"
# The same natively: any result would be right.
expect 2 '32 lanes: undefined' --lanes 32 "$work/unwritten.spv"
expect 2 'has executed 5000 blocks' --lanes 4 --steps 5000 "$work/endless.spv"

# Undefined results of functions that the module drops: the inverse square root of zero.
shader dropped z 'float zero = float(a[0]) - float(a[0]), root = inversesqrt(zero);
    z = isinf(root) ? z : z + z;'
expect 0 'undefined results of the module itself' --lanes 32 "$work/dropped.spv"
shader doubled z 'z = z + z;'
expect 2 '32 lanes: undefined' --lanes 32 --against "$work/doubled.spv" "$work/dropped.spv"

# Buffers have what the module accesses, unless the command says how much that is.
shader far z 'if (gl_SubgroupInvocationID == 0) c[100000] = 1.0;'
expect 0 'agrees' --lanes 32 "$work/far.spv"
expect 2 'native: bounds' --lanes 32 --buffer-size 65536 "$work/far.spv"

# Products of even and of odd columns of A, each +-32768 in one product: the sum of either half of two
# products is not in the range of f16, and the sum of both is 0.
cat >"$work/reassociated.comp" <<'GLSL'
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(binding = 0) writeonly buffer C { float16_t c[]; };
shared float16_t a[256], b[256];
void main() {
    for (uint i = gl_LocalInvocationIndex; i < 256; i += 32) {
        a[i] = float16_t((i & 1) == 0 ? 4096 : -4096);
        b[i] = float16_t(1);
    }
    barrier();
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> x;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> y;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> z =
        coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    for (uint k = 0; k < 2; ++k) {
        coopMatLoad(x, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(y, b, 0, 16, gl_CooperativeMatrixLayoutColumnMajor);
        z = coopMatMulAdd(x, y, z);
    }
    coopMatStore(z, c, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
GLSL
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/reassociated.spv" "$work/reassociated.comp"
expect 0 '32 lanes, core: agrees (256 numbers compared) (256 numbers are not the same' --lanes 32 \
    --back-end core "$work/reassociated.spv"
expect 0 '32 lanes, core: agrees (256 numbers compared)' --lanes 32 --back-end core --numerics same \
    "$work/reassociated.spv"

# A request as the layer writes it: its subgroup size and back-end.
cat >"$work/product.json" <<'JSON'
{"shader": "product.spv", "stage": "compute", "entryPoint": "main", "subgroupSize": 16,
 "specialization": [], "emulated": ["VK_KHR_cooperative_matrix"], "native": {}, "addsShapes": false,
 "indexes64Bits": false, "backEnd": "core", "validate": false, "device": {"minSubgroupSize": 8}}
JSON
expect 0 '16 lanes, core: agrees' "$work/product.json"
expect 0 '8 lanes, core: agrees' --lanes 8 "$work/product.json"
# The layer's limit of steps is part of it; an option takes its place.
sed 's/"backEnd"/"rewriteLimit": 1000, &/' "$work/product.json" >"$work/limited.json"
expect 2 'refused: takes more than 1000 steps' "$work/limited.json"
expect 0 'agrees' --rewrite-limit 1G "$work/limited.json"
# The rewriter's own output.
"$coopvk" rewrite "$work/product.spv" --subgroup-size 8 -o "$work/rewritten.spv"
expect 0 'agrees' --lanes 8 --against "$work/rewritten.spv" "$work/product.spv"

# Vectors need no whole subgroups: a workgroup of three, with a product and a sum for training.
cat >"$work/vector.comp" <<'GLSL'
#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 3) in;
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) buffer C { float16_t c[]; };
void main() {
    coopvecNV<float16_t, 16> x, y;
    coopVecLoadNV(x, a, gl_LocalInvocationIndex * 32);
    coopVecMatMulNV(y, x, gl_ComponentTypeFloat16NV, a, 0, gl_ComponentTypeFloat16NV, 16, 16,
                    gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 32);
    coopVecStoreNV(RESULT, c, gl_LocalInvocationIndex * 32);
    coopVecReduceSumAccumulateNV(x, c, 4096);
}
GLSL
for result in y y+y; do
    glslangValidator --quiet --target-env vulkan1.3 -DRESULT="$result" -V -o "$work/$result.spv" \
        "$work/vector.comp"
done
expect 0 '32 lanes, core: agrees' --lanes 4,32 "$work/y.spv"
expect 1 'differs' --lanes 32 --against "$work/y+y.spv" "$work/y.spv"

# A function stores each element. "Calls may occur more than once": invocations that hold the same elements as others
# store them, too.
cat >"$work/stores.comp" <<'GLSL'
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix2 : require
layout(local_size_x = 64) in;
layout(binding = 0) buffer C { float c[]; };
float store(const in uint row, const in uint column, const in float value) {
    c[row * 16 + column] = value;
    return value;
}
void main() {
    coopmat<float, gl_ScopeWorkgroup, 16, 16, gl_MatrixUseAccumulator> z =
        coopmat<float, gl_ScopeWorkgroup, 16, 16, gl_MatrixUseAccumulator>(2.5);
    coopMatPerElementNV(z, z, store);
#ifdef RACE
    c[300] = 1.0;
#endif
}
GLSL
for race in '' -DRACE; do
    glslangValidator --quiet --target-env vulkan1.3 $race -V -o "$work/stores$race.spv" "$work/stores.comp"
done
expect 0 '64 lanes, core: agrees' --lanes 4,64 "$work/stores.spv"
expect 1 'rewritten: races' --lanes 64 --against "$work/stores-DRACE.spv" "$work/stores.spv"

# sums NAME TYPE END ROW: the sum of END products for each row, in a variable of the type.
sums() {
    cat >"$work/$1.comp" <<GLSL
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) readonly buffer B { float16_t b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform P { uint count; };
void main() {
    const uint row = $4;
    $2 sum = $2(0);
    for (uint k = 0; k < $3; ++k) sum += $2(a[row * count + k]) * $2(b[k]);
    c[row] = float(sum);
}
GLSL
    glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/$1.spv" "$work/$1.comp"
}
sums sums float count gl_GlobalInvocationID.x
sums half float16_t count gl_GlobalInvocationID.x
sums tail float '(count & ~15u)' gl_GlobalInvocationID.x
sums group float count gl_LocalInvocationIndex
# Without any option, each fault is found: small integers, sizes of whole matrices and one workgroup hide it.
expect 0 'agrees (32 numbers compared)' --lanes 8 "$work/sums.spv"
for fault in half tail group; do
    expect 1 ', with numbers with fractions, parameters that are no multiples of 16, 2 x 1 workgroups: ' \
        --lanes 8 --against "$work/$fault.spv" "$work/sums.spv"
    expect 0 'agrees' --lanes 8 --any-values --push 48 --groups 1 --against "$work/sums.spv" "$work/sums.spv"
done

# Every number depends on which invocation has which element.
shader layout 'z' 'c[gl_LocalInvocationIndex] = float(x[0]); return;'
expect 2 'depends on the layout of elements (0 numbers compared, 32 depend' --lanes 32 \
    --against "$work/layout.spv" "$work/layout.spv"

# On a device: the one that the environment has, and the reference device, which may round otherwise.
expect 0 'the device: agrees (32 numbers compared)' --on-device "$work/sums.spv"
reference=${coopvk%/*}/../reference/icd/coopvk_reference.json
cat >"$work/third.comp" <<'GLSL'
#version 460
layout(local_size_x = 32) in;
layout(binding = 0) buffer C { float c[]; };
void main() { c[gl_LocalInvocationIndex] = 1.0 / (3.0 + c[gl_LocalInvocationIndex + 64]); }
GLSL
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/third.spv" "$work/third.comp"
export VK_DRIVER_FILES=$reference
expect 0 '8 lanes, the device: agrees' --on-device --lanes 8,16 "$work/product.spv"
expect 0 '16 lanes, the device: agrees' --on-device "$work/product.json"
COOPVK_REFERENCE_ROUNDING=upward expect 1 'the device, with numbers with fractions' --on-device --lanes 8 "$work/third.spv"
expect 2 'there is no Vulkan device 7' --on-device --index 7 "$work/product.spv"
# A device may flush the denormals that it cannot preserve; and what it lacks is no fault.
cat >"$work/denormals.comp" <<'GLSL'
#version 460
layout(local_size_x = 32) in;
layout(binding = 0) buffer C { uint c[]; };
layout(binding = 1) buffer D { float d[]; };
void main() {
    const uint i = gl_LocalInvocationIndex;
    d[i] = uintBitsToFloat((c[i] & 0xffff) + 1) * 2.0;
}
GLSL
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/denormals.spv" "$work/denormals.comp"
spirv-dis "$work/denormals.spv" | sed 's/^ *OpCapability Shader/&\nOpCapability DenormPreserve/
    s/.*OpExtInstImport/OpExtension "SPV_KHR_float_controls"\n&/
    s/.*OpExecutionMode %main LocalSize.*/&\nOpExecutionMode %main DenormPreserve 32/' |
    spirv-as -o "$work/preserved.spv" -
flush() { COOPVK_REFERENCE_DENORMALS=$1 expect "${@:2}"; }
flush keep 0 'the device: agrees (32 numbers compared)' --on-device --lanes 8 "$work/denormals.spv"
flush f32 0 'the device flushes denormals' --on-device --lanes 8 "$work/denormals.spv"
flush keep 0 'the device: agrees (32 numbers compared)' --on-device --lanes 8 "$work/preserved.spv"
flush f32 2 'not applicable: the device lacks shaderDenormPreserveFloat32' --on-device --lanes 8 "$work/preserved.spv"
cat >"$work/smallest.comp" <<'GLSL'
#version 460
#extension GL_EXT_shader_atomic_float2 : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer C { double c[]; };
void main() { atomicMax(c[0], c[gl_LocalInvocationIndex + 1]); }
GLSL
glslangValidator --quiet --target-env vulkan1.3 -V -o "$work/smallest.spv" "$work/smallest.comp"
VK_DRIVER_FILES=/usr/share/vulkan/icd.d/lvp_icd.json expect 2 \
    'not applicable: the device lacks the capability AtomicFloat64MinMaxEXT (shaderBufferFloat64AtomicMinMax)' \
    --on-device --lanes 8 "$work/smallest.spv"

# Nothing is asked of the device that Vulkan does not allow: rows that are not whole subgroups, too many sets.
cat >"$work/rows.comp" <<'GLSL'
#version 460
layout(local_size_x = 3, local_size_y = 5) in;
layout(set = SET, binding = 3) buffer C { uint c[]; };
void main() { c[gl_LocalInvocationIndex] += 7; }
GLSL
for set in 2 40; do
    glslangValidator --quiet --target-env vulkan1.3 -DSET=$set -V -o "$work/rows$set.spv" "$work/rows.comp"
done
validated=$(VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation "$coopvk" check --on-device --lanes 8 "$work/rows2.spv" 2>&1) || true
[[ $validated == *'agrees (15 numbers compared)' && $validated != *VUID* ]] || fail "$validated"
expect 2 'not applicable: it has 41 descriptor sets, and the device at most' --on-device --lanes 8 "$work/rows40.spv"
unset VK_DRIVER_FILES

# An entry point with a name that terminals would interpret.
python3 -c 'import sys; sys.stdout.buffer.write(open(sys.argv[1], "rb").read().replace(b"main\0", b"\x1b[3m\0"))' \
    "$work/sums.spv" >"$work/odd.spv"
expect 1 'no compute entry point \x1b[3m' --lanes 8 --against "$work/sums.spv" "$work/odd.spv"
rc=0
"$coopvk" check --lanes 8 "$work/product.spv" >/dev/full 2>"$work/said" || rc=$?
[[ $rc == 2 ]] && grep -q 'cannot write the standard output' "$work/said" || fail "status $rc: $(<"$work/said")"

# Malformed inputs.
printf 'no SPIR-V' >"$work/text.spv"
head -c 200 "$work/product.spv" >"$work/short.spv"
expect 2 'is no SPIR-V' "$work/text.spv"
expect 2 '--groups: Value 0 not in range [1 - ' --groups 4,0 "$work/text.spv"  # it would agree on nothing
expect 2 'not executable' --lanes 8 "$work/short.spv"
expect 2 'cannot read' "$work/nothing.spv"
expect 2 'powers of two' --lanes 12 "$work/product.spv"
echo 'test_check: passed'
