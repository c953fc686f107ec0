// Vectors of 300 components, which no driver takes as values: in functions, loops, structures and branches, with
// other formats and indices at run time, and as operands of products and sums beside small ones.
// test: buffers f16:4096 f16:16384 random:65536 f16:1024
// test: push 3
#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Weights { float16_t weights[]; };
layout(binding = 1) readonly buffer Inputs { float16_t inputs[]; };
layout(binding = 2) buffer Results { float16_t results[]; };
layout(binding = 3) buffer Sums { float16_t sums[]; };
layout(push_constant) uniform Push { uint steps; };

#define N 300
#define V coopvecNV<float16_t, N>
#define F coopvecNV<float, N>
#define S coopvecNV<float16_t, 8>
struct Pair { V first; uint number; V second; };

V kept = V(float16_t(1));

V clamped(in V x, uint kind) {
    if (kind == 2) return x;
    return kind == 1 ? clamp(x, V(float16_t(-2)), V(float16_t(2))) : max(x, kept);
}
void swap(inout Pair p) {
    V other = p.first;
    p.first = p.second;
    p.second = other;
    p.number += 1;
}
void main() {
    uint me = gl_LocalInvocationIndex;
    V x;
    coopVecLoadNV(x, inputs, me * 64);
    Pair p = Pair(x, 0, x * V(float16_t(0.5)));
    uint step = 0;
    do {
        swap(p);
        p.first[(me + step * 37) % N] = float16_t(step);
        p.second = clamped(p.second, (me + step) % 3);
        ++step;
    } while (step < steps);
    F wide = F(p.first) + F(p.second) * 2.0;
    V y = V(wide);
    kept = y;
    S narrow;
    coopVecMatMulNV(narrow, y, gl_ComponentTypeFloat16NV, weights, 0, gl_ComponentTypeFloat16NV, 8, N,
                    gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 608);
    V wider;
    coopVecMatMulAddNV(wider, narrow, gl_ComponentTypeFloat16NV, weights, 0, gl_ComponentTypeFloat16NV, inputs, 0,
                       gl_ComponentTypeFloat16NV, N, 8, gl_CooperativeVectorMatrixLayoutColumnMajorNV, false, 608);
    if (wider[me] > float16_t(0)) wider = wider + clamped(y, me % 3);
    V list[2] = V[2](wider, kept);
    coopVecStoreNV(list[me % 2], results, me * 1024);
    results[me * 512 + 400] = list[(me + 1) % 2][me * 7 % N];
    coopVecReduceSumAccumulateNV(V(float16_t(1)), sums, 0);
}
