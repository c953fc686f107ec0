// SPDX-License-Identifier: Apache-2.0
//
// SPV_EXT_long_vector: vectors of any length, which a specialization constant may give.
#include <gtest/gtest.h>

#include "shader_text.hpp"

namespace coopvk::reference::test::long_vector_test {
namespace {

// Component 6 of seven becomes the number of the invocation, all components twice their value.
ShaderText lengthOfSeven() {
    ShaderText text;
    text.localSize = 4;
    text.capabilities = "OpCapability LongVectorEXT\nOpExtension \"SPV_EXT_long_vector\"\n";
    text.annotations = "OpDecorate %length SpecId 3\n";
    text.declarations =
        "%length = OpSpecConstant %u32 2\n%long = OpTypeVectorIdEXT %u32 %length\n"
        "%long_bool = OpTypeVectorIdEXT %bool %length\n%zeros = OpConstantNull %long\n"
        "%p_long = OpTypePointer Function %long\n";
    text.body =
        "%kept = OpVariable %p_long Function\n"
        "%own = OpVectorInsertDynamic %long %zeros %i %u_6\n%twice = OpIAdd %long %own %own\n"
        "OpStore %kept %twice\n%at = OpAccessChain %p_function_u32 %kept %u_6\n"
        "%last = OpLoad %u32 %at\n%all = OpLoad %long %kept\n"
        "%positive = OpUGreaterThan %long_bool %all %zeros\n%any = OpAny %bool %positive\n"
        "%every = OpAll %bool %positive\n%any_ = OpSelect %u32 %any %u_1 %u_0\n"
        "%every_ = OpSelect %u32 %every %u_1 %u_0\n%i4 = OpIAdd %u32 %i %u_4\n"
        "%i8 = OpIAdd %u32 %i %u_8\n" +
        storeWord("%i", "%last") + storeWord("%i4", "%any_") + storeWord("%i8", "%every_");
    return text;
}

TEST(ReferenceLongVectors, HaveTheLengthOfASpecializationConstant) {
    Execution r;
    r.lanes = 4;
    r.validate = false;
    r.specialization = {{3, 7}};
    r.buffers[0] = {0};
    r.buffers[1] = std::vector<uint32_t>(12, 9);
    execute(r, shader(lengthOfSeven()));
    ASSERT_EQ(r.error, "");
    EXPECT_TRUE(r.reports.empty());
    EXPECT_EQ(r.buffers[1], (std::vector<uint32_t>{0, 2, 4, 6, 0, 1, 1, 1, 0, 0, 0, 0}));
}

// A component outside of the length that is specialised.
TEST(ReferenceLongVectors, ComponentsHaveBounds) {
    Execution r;
    r.lanes = 4;
    r.validate = false;
    r.specialization = {{3, 6}};
    r.buffers[0] = {0};
    r.buffers[1] = std::vector<uint32_t>(12, 9);
    execute(r, shader(lengthOfSeven()));
    ASSERT_EQ(r.error, "");
    EXPECT_GT(countReports(r, kCheckBounds), 0u);
}

}  // namespace
}  // namespace coopvk::reference::test::long_vector_test
