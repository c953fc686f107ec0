// SPDX-License-Identifier: Apache-2.0
//
// Attention in one shader: each subgroup has 16 queries of 128 components, and takes 32 keys and
// values at a time, which are in shared memory. The scores become weights of the values.
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require

layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer Queries { float16_t queries[]; };
layout(binding = 1) readonly buffer Keys { f16vec4 keys[]; };
layout(binding = 2) readonly buffer Values { f16vec4 values[]; };
layout(binding = 3) writeonly buffer Results { float16_t results[]; };
layout(push_constant) uniform Size { uint keyCount; };

const uint kSize = 128, kKeys = 32, kRow = kSize / 4 + 1;
shared f16vec4 stagedKeys[kKeys * kRow], stagedValues[kKeys * kRow];

#define SUMS(n) coopmat<float, gl_ScopeSubgroup, 16, n, gl_MatrixUseAccumulator>
#define A(k) coopmat<float16_t, gl_ScopeSubgroup, 16, k, gl_MatrixUseA>
#define B(k, n) coopmat<float16_t, gl_ScopeSubgroup, k, n, gl_MatrixUseB>

float larger(const in float a, const in float b) { return max(a, b); }
float sum(const in float a, const in float b) { return a + b; }
float power(const in uint row, const in uint column, const in float x) { return exp2(x); }
float inverse(const in uint row, const in uint column, const in float x) { return 1.0 / x; }

void stage(uint first) {
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < kKeys * kSize / 4; i += gl_WorkGroupSize.x) {
        uint place = i / (kSize / 4) * kRow + i % (kSize / 4);
        stagedKeys[place] = keys[first * (kSize / 4) + i];
        stagedValues[place] = values[first * (kSize / 4) + i];
    }
    barrier();
}

void main() {
    uint row = (gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID) * 16;
    A(128) query;
    coopMatLoad(query, queries, row * kSize, kSize, gl_CooperativeMatrixLayoutRowMajor);
    SUMS(128) result = SUMS(128)(0.0);
    SUMS(32) most = SUMS(32)(-1000.0), total = SUMS(32)(0.0);
    for (uint first = 0; first < keyCount; first += kKeys) {
        stage(first);
        B(128, 32) key;
        coopMatLoad(key, stagedKeys, 0, kRow, gl_CooperativeMatrixLayoutColumnMajor);
        SUMS(32) scores = coopMatMulAdd(query, key, SUMS(32)(0.0));
        SUMS(32) before = most;
        coopMatReduceNV(most, scores, gl_CooperativeMatrixReduceRowNV, larger);
        for (int i = 0; i < most.length(); ++i) most[i] = max(most[i], before[i]);
        scores = scores - most;
        coopMatPerElementNV(scores, scores, power);
        SUMS(32) added;
        coopMatReduceNV(added, scores, gl_CooperativeMatrixReduceRowNV, sum);
        SUMS(32) scale = before - most;
        coopMatPerElementNV(scale, scale, power);
        total = total * scale + added;
        SUMS(128) scales;
        coopMatReduceNV(scales, scale, gl_CooperativeMatrixReduceRowNV, larger);
        result = result * scales;
        A(32) weights = A(32)(scores);
        B(32, 128) value;
        coopMatLoad(value, stagedValues, 0, kRow, gl_CooperativeMatrixLayoutRowMajor);
        result = coopMatMulAdd(weights, value, result);
    }
    SUMS(128) scales;
    coopMatReduceNV(scales, total, gl_CooperativeMatrixReduceRowNV, larger);
    coopMatPerElementNV(scales, scales, inverse);
    coopMatStore(coopmat<float16_t, gl_ScopeSubgroup, 16, 128, gl_MatrixUseAccumulator>(result * scales),
                 results, row * kSize, kSize, gl_CooperativeMatrixLayoutRowMajor);
}
