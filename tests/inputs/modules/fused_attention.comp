// Attention: the scores of queries and keys, softmax of each row, and the sums of values that it weighs.
// test: subgroup
// test: needs VK_NV_cooperative_matrix2
// test: buffers f16:1024 f16:2048 f16:2048 random:1024
// test: push 32
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Queries { float16_t queries[]; };
layout(binding = 1) readonly buffer Keys { uint keys[]; };
layout(binding = 2) readonly buffer Values { uint values[]; };
layout(binding = 3) buffer Results { float results[]; };
layout(push_constant) uniform Push { uint keyCount; };
shared uint stagedKeys[512], stagedValues[512];
#define A(k) coopmat<float16_t, gl_ScopeSubgroup, 16, k, gl_MatrixUseA>
#define B(k, n) coopmat<float16_t, gl_ScopeSubgroup, k, n, gl_MatrixUseB>
#define SUMS(n) coopmat<float, gl_ScopeSubgroup, 16, n, gl_MatrixUseAccumulator>

float larger(const in float a, const in float b) { return max(a, b); }
float sum(const in float a, const in float b) { return a + b; }
float power(const in uint row, const in uint column, const in float x) { return exp2(x); }
float inverse(const in uint row, const in uint column, const in float x) { return 1.0 / x; }

void main() {
    A(64) query;
    coopMatLoad(query, queries, 0, 64, gl_CooperativeMatrixLayoutRowMajor);
    SUMS(64) result = SUMS(64)(0.0);
    SUMS(16) most = SUMS(16)(-1000.0), total = SUMS(16)(0.0);
    for (uint first = 0; first < keyCount; first += 16) {
        barrier();
        for (uint i = gl_LocalInvocationIndex; i < 512; i += gl_WorkGroupSize.x) {
            stagedKeys[i] = keys[first * 32 + i];
            stagedValues[i] = values[first * 32 + i];
        }
        barrier();
        B(64, 16) key;
        coopMatLoad(key, stagedKeys, 0, 32, gl_CooperativeMatrixLayoutColumnMajor);
        SUMS(16) scores = coopMatMulAdd(query, key, SUMS(16)(0.0));
        scores = scores * 0.03125;
        SUMS(16) before = most, added;
        coopMatReduceNV(most, scores, gl_CooperativeMatrixReduceRowNV, larger);
        for (int i = 0; i < most.length(); ++i) most[i] = max(most[i], before[i]);
        scores = scores - most;
        coopMatPerElementNV(scores, scores, power);
        coopMatReduceNV(added, scores, gl_CooperativeMatrixReduceRowNV, sum);
        SUMS(16) scale = before - most;
        coopMatPerElementNV(scale, scale, power);
        total = total * scale + added;
        SUMS(64) scales;
        coopMatReduceNV(scales, scale, gl_CooperativeMatrixReduceRowNV, larger);
        result = result * scales;
        A(16) weights = A(16)(scores);
        B(16, 64) value;
        coopMatLoad(value, stagedValues, 0, 32, gl_CooperativeMatrixLayoutRowMajor);
        result = coopMatMulAdd(weights, value, result);
    }
    SUMS(64) scales;
    coopMatReduceNV(scales, total, gl_CooperativeMatrixReduceRowNV, larger);
    coopMatPerElementNV(scales, scales, inverse);
    coopMatStore(result * scales, results, 0, 64, gl_CooperativeMatrixLayoutRowMajor);
}
