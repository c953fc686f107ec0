// A large matrix goes through variables in a loop with continue and break, a branch and a switch with fall-through.
// test: subgroup
// test: buffers f16:8192 random:64 random:512
// test: push 9 32
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(push_constant) uniform Push { uint steps, stride; };

#define A coopmat<float16_t, gl_ScopeSubgroup, 32, 32, gl_MatrixUseA>
const int ROW = gl_CooperativeMatrixLayoutRowMajor;
layout(binding = 2) buffer Copy { float16_t copy[]; };
void main() {
    A m, other, kept;
    coopMatLoad(m, src, 0, 32, ROW);
    coopMatLoad(other, src, 1024, 32, ROW);
    kept = m;
    for (uint step = 0; step < 64; ++step) {
        if ((step & 3) == 1) continue;
        if ((step & 4) != 0) m = m + other; else kept = m;
        switch (step % 5) {
            case 0: m = -m;
            case 2: other = kept; break;
            case 3: coopMatLoad(other, src, step * 32, 32, ROW); break;
            default: m = m - kept;
        }
        if (step >= steps) break;
    }
    coopMatStore(m, copy, 0, 32, ROW);
}
