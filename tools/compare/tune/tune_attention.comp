// SPDX-License-Identifier: Apache-2.0
//
// O[size,64] = (Q[size,64] * transpose(K[256,64])) * V[256,64]: attention without its exponents, so
// that every result is exact. A workgroup is 4 subgroups with 16 rows of Q each; V lies behind K.
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

const uint kKeys = 256, kWidth = 64, kScores = 16 * 16;

layout(local_size_x_id = 0) in;  // 4 times the subgroup size
layout(binding = 0) readonly buffer Q { float16_t q[]; };
layout(binding = 1) readonly buffer KV { float16_t kv[]; };
layout(binding = 2) writeonly buffer O { float o[]; };
layout(push_constant) uniform P { uint size; };
shared float16_t scores[4 * kScores];

#define MATRIX(type, use) coopmat<type, gl_ScopeSubgroup, 16, 16, use>

void main() {
    const uint row = (gl_WorkGroupID.x * 4 + gl_SubgroupID) * 16;
    const uint own = gl_SubgroupID * kScores;
    MATRIX(float16_t, gl_MatrixUseA) x[4];
    MATRIX(float, gl_MatrixUseAccumulator) sums[4];
    [[unroll]] for (int t = 0; t < 4; ++t) {
        coopMatLoad(x[t], q, row * kWidth + t * 16, kWidth, gl_CooperativeMatrixLayoutRowMajor);
        sums[t] = MATRIX(float, gl_MatrixUseAccumulator)(0.0);
    }
    for (uint key = 0; key < kKeys; key += 16) {
        MATRIX(float, gl_MatrixUseAccumulator) s = MATRIX(float, gl_MatrixUseAccumulator)(0.0);
        [[unroll]] for (int t = 0; t < 4; ++t) {
            MATRIX(float16_t, gl_MatrixUseB) y;
            coopMatLoad(y, kv, key * kWidth + t * 16, kWidth,
                        gl_CooperativeMatrixLayoutColumnMajor);
            s = coopMatMulAdd(x[t], y, s);
        }
        coopMatStore(MATRIX(float16_t, gl_MatrixUseAccumulator)(s), scores, own, 16,
                     gl_CooperativeMatrixLayoutRowMajor);
        barrier();
        MATRIX(float16_t, gl_MatrixUseA) p;
        coopMatLoad(p, scores, own, 16, gl_CooperativeMatrixLayoutRowMajor);
        [[unroll]] for (int t = 0; t < 4; ++t) {
            MATRIX(float16_t, gl_MatrixUseB) v;
            coopMatLoad(v, kv, (kKeys + key) * kWidth + t * 16, kWidth,
                        gl_CooperativeMatrixLayoutRowMajor);
            sums[t] = coopMatMulAdd(p, v, sums[t]);
        }
        barrier();
    }
    [[unroll]] for (int t = 0; t < 4; ++t)
        coopMatStore(sums[t], o, row * kWidth + t * 16, kWidth, gl_CooperativeMatrixLayoutRowMajor);
}
