// Outer products and sums are added to memory in a loop that ends with its condition.
// test: buffers f16:1024 f16:1024
// test: push 2
#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Gradients { float16_t gradients[]; };
layout(binding = 1) readonly buffer Inputs { float16_t inputs[]; };
layout(push_constant) uniform Push { uint steps; };

#define V coopvecNV<float16_t, 8>
void main() {
    uint me = gl_LocalInvocationIndex;
    uint step = 0;
    do {
        V x;
        coopVecLoadNV(x, inputs, (me + step * 16) * 16);
        coopVecReduceSumAccumulateNV(x, gradients, 0);
        ++step;
    } while (step < steps);
}
