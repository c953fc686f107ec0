// Precise arithmetic with matrices of two formats.
// test: subgroup
#version 460
#pragma use_vulkan_memory_model
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0, scalar) buffer I { float16_t h[]; } i;
layout(binding = 1, scalar) buffer O { float f[]; } o;
#define MC coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
#define MH coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
void main() {
    MC c, d; coopMatLoad(c, o.f, 0, 16, 0); coopMatLoad(d, o.f, 256, 16, 1);
    precise MC e = c * d + c; precise MC f = e - d / c; MC g = -f * 3.0;
    MH h = MH(g); h = h + h * h; precise MH k = h * float16_t(2.0) + h;
    bool b = o.f[0] > 1.0;
    MC m = g; if (b) m = e;
    coopMatStore(m, o.f, 512, 16, 0); coopMatStore(k, i.h, 0, 16, 0);
}
