// SPDX-License-Identifier: Apache-2.0
//
// How products of vectors are summed.
#include <gtest/gtest.h>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "vector_module.hpp"

namespace coopvk::rewrite::vector_sums_test {
namespace {

// A result does not depend on whether all lanes of the subgroup take part: both ways add short f16
// sums in f32.
TEST(VectorSums, AreTheSameInTilesAndAlone) {
    const auto words = test::assemble(test::layerModule(64, 256, 0, false));
    Request request;
    request.words = words;
    Target target;
    target.subgroupSize = 32;
    target.device.subgroupVote = target.device.subgroupBallot = true;
    target.device.maxComputeSharedMemorySize = 49152;
    const Result<Rewritten> out = rewrite(request, target);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(out->paths, std::vector<std::string_view>{"vectors: tiles"});
    const std::string text = disassemble(out->words);
    EXPECT_NE(text.find("OpVariable %_ptr_Function_float Function"), text.npos) << text;
    EXPECT_EQ(text.find("OpVariable %_ptr_Function_v2half Function"), text.npos) << text;
}

}  // namespace
}  // namespace coopvk::rewrite::vector_sums_test
