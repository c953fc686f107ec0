// SPDX-License-Identifier: Apache-2.0
//
// Products in slices, of matrices that lie in the layout of elements of a GPU.
#include <gtest/gtest.h>

#include <algorithm>

#include "../driver/harness/shader.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::test {

using rewrite::ElementLayout;

// In a layout in which a lane has one column, it has many rows of A. Slices of A that start at
// whole vectors of shared memory keep them in registers, also where the plan's slices are narrower.
TEST(ElementLayout, SlicesOfAnArrayOfVectorsAreWholeVectors) {
    const Words words = compileGlsl(R"(#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer In { uvec4 words[64]; };
layout(set = 0, binding = 1) buffer Out { float o[]; };
shared uvec4 s[64];
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c;
    c = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0);
    for (uint i = gl_LocalInvocationIndex; i < 64; i += 32) s[i] = words[i];
    barrier();
    coopMatLoad(a, s, 0, 2, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, s, 32, 2, gl_CooperativeMatrixLayoutRowMajor);
    c = coopMatMulAdd(a, b, c);
    for (int i = 0; i < c.length(); ++i) c[i] += float(i);
    coopMatStore(c, o, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
)");
    const auto slicesOf = [&](ElementLayout layout) {
        rewrite::Target target;
        target.elementLayout = layout;
        const auto result = rewrite::rewrite({.words = words}, target);
        EXPECT_TRUE(result) << result.error().message;
        return result ? std::ranges::count(result->notes, "products in slices of 8") : -1;
    };
    EXPECT_EQ(slicesOf(ElementLayout::kRdna4), 1);
    EXPECT_EQ(slicesOf(ElementLayout::kFree), 0);
}

}  // namespace coopvk::test
