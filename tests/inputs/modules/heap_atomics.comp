// Atomics of floats in buffers of a descriptor heap.
// test: heap 65
// test: push 7
#version 460
#extension GL_EXT_descriptor_heap : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_shader_atomic_float : require
layout(local_size_x = 64) in;
layout(descriptor_heap) buffer Sums { uint head; float s[]; } sums[];
layout(push_constant) uniform Push { uint which; } push;
void main() {
    const uint lane = gl_LocalInvocationIndex;
    atomicAdd(sums[push.which].s[1 + lane % 4], float(lane));
    const float old = atomicAdd(sums[nonuniformEXT(lane)].s[0], 1.0);
    atomicExchange(sums[nonuniformEXT(lane + 1)].s[8 + lane], old);
}
