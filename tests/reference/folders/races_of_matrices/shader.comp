// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 4) in;
layout(constant_id = 0) const bool isOtherType = false;
layout(constant_id = 1) const bool hasBarrier = false;
layout(set = 0, binding = 0) workgroupcoherent buffer Numbers { uint numbers[]; };

void main() {
    coopmat<uint, gl_ScopeSubgroup, 4, 4, gl_MatrixUseA> factor;
    coopmat<uint, gl_ScopeSubgroup, 4, 4, gl_MatrixUseAccumulator> sums =
        coopmat<uint, gl_ScopeSubgroup, 4, 4, gl_MatrixUseAccumulator>(1);
    if (isOtherType)
        coopMatLoad(factor, numbers, 0, 4, gl_CooperativeMatrixLayoutRowMajor);
    else
        coopMatLoad(sums, numbers, 0, 4, gl_CooperativeMatrixLayoutRowMajor);
    if (hasBarrier)
        controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsBuffer,
                       gl_SemanticsAcquireRelease);
    coopMatStore(sums + sums, numbers, 0, 4, gl_CooperativeMatrixLayoutRowMajor);
}
