// Products of vectors in a loop that ends with its condition; each invocation has its own number of steps.
// test: buffers f16:4096 f16:2048 random:1024
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
layout(push_constant) uniform Push { uint steps; };

#define V coopvecNV<float16_t, 16>
void main() {
    uint me = gl_LocalInvocationIndex;
    V x;
    coopVecLoadNV(x, inputs, me * 32);
    uint step = 0;
    do {
        V y;
        coopVecMatMulNV(y, x, gl_ComponentTypeFloat16NV, weights, step * 512, gl_ComponentTypeFloat16NV, 16, 16,
                        gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 32);
        x = clamp(y, V(float16_t(-2)), V(float16_t(2)));
        ++step;
    } while (step < steps + (me & 1));
    coopVecStoreNV(x, results, me * 32);
}
