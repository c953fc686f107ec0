// Matrices of the optimal layouts whose rows are no multiples of 16 bytes: where a row starts, each implementation chooses.
// Both sides of a check have the same choice.
// test: needs VK_NV_cooperative_vector
// test: buffers f16:1024 f16:128 zero:1024 zero:4096
#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Weights { float16_t weights[]; };
layout(binding = 1) readonly buffer Biases { float16_t biases[]; };
layout(binding = 2) buffer Results { float16_t results[]; };
layout(binding = 3) buffer Gradients { float16_t gradients[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    coopvecNV<float16_t, 5> x;
    coopvecNV<float16_t, 11> y, z;
    coopVecLoadNV(x, biases, 32 + 10 * i);
    coopVecMatMulAddNV(y, x, gl_ComponentTypeFloat16NV, weights, 0, gl_ComponentTypeFloat16NV, biases, 0,
                       gl_ComponentTypeFloat16NV, 11, 5, gl_CooperativeVectorMatrixLayoutInferencingOptimalNV, false, 0);
    coopVecMatMulNV(z, x, gl_ComponentTypeFloat16NV, weights, 512, gl_ComponentTypeFloat16NV, 11, 5,
                    gl_CooperativeVectorMatrixLayoutTrainingOptimalNV, false, 0);
    coopVecStoreNV(y + z, results, 22 * i);
    if (i == 0)
        coopVecOuterProductAccumulateNV(y, x, gradients, 0, 0, gl_CooperativeVectorMatrixLayoutTrainingOptimalNV,
                                        gl_ComponentTypeFloat16NV);
}
