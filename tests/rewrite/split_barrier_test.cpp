// SPDX-License-Identifier: Apache-2.0
//
// SPV_EXT_split_barrier. Vulkan allows control barriers between arrival and wait: its rules
// (VUID-RuntimeSpirv-OpControlBarrierWaitEXT-13559 and -13560, OpControlBarrierArriveEXT-13561) are
// about these two only. So a rewritten shader may have its own there.
#include <gtest/gtest.h>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"

namespace coopvk::rewrite::split_barrier_test {
namespace {

// A transposition of 16 x 16 between arrival and wait: large enough to go through shared memory.
std::string moduleOf(std::string_view rows) {
    return test::edited(
        test::multiplyModule(16, 16, 16),
        {{"OpCapability Float16",
          "OpCapability SplitBarrierEXT\nOpCapability CooperativeMatrixConversionsNV\n"
          "OpCapability Float16"},
         {"OpExtension",
          "OpExtension \"SPV_EXT_split_barrier\"\nOpExtension \"SPV_NV_cooperative_matrix2\"\n"
          "OpExtension"},
         {"%zero =", "%large = OpConstant %u32 " + std::string(rows) +
                         "\n%release = OpConstant %u32 260\n%acquire = OpConstant %u32 258\n"
                         "%L = OpTypeCooperativeMatrixKHR %f32 %c3 %large %large %c2\n"
                         "%T = OpTypeCooperativeMatrixKHR %f32 %c3 %large %large %c1\n%zero ="},
         {"%product =",
          "%pl = OpAccessChain %floatPointer %out %c0 %c0\n"
          "%l = OpCooperativeMatrixLoadKHR %L %pl %c0 %large\n"
          "OpControlBarrierArriveEXT %c2 %c2 %release\n"
          "%t = OpCooperativeMatrixTransposeNV %T %l\n%product ="},
         {"OpReturn",
          "OpControlBarrierWaitEXT %c2 %c2 %acquire\n"
          "OpCooperativeMatrixStoreKHR %pl %t %c0 %large\nOpReturn"}});
}

std::string run(const std::string& source, uint32_t reserved) {
    const std::vector<uint32_t> words = test::assemble(source);
    EXPECT_EQ(validate(words), std::nullopt);
    Request request;
    request.words = words;
    Target target;
    target.device.subgroupShuffle = true;
    target.device.maxComputeSharedMemorySize = 32768;
    target.device.splitBarrierSharedMemory = reserved;
    const Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return {};
    EXPECT_EQ(validate(out->words), std::nullopt);
    return disassemble(out->words);
}

TEST(SplitBarriers, StayInPlace) {
    const std::string text = run(moduleOf("64"), 0);
    const size_t arrival = text.find("OpControlBarrierArriveEXT");
    const size_t wait = text.find("OpControlBarrierWaitEXT");
    const size_t barrier = text.find(" OpControlBarrier ");
    EXPECT_LT(arrival, barrier);
    EXPECT_LT(barrier, wait);
    EXPECT_NE(wait, text.npos);
    EXPECT_EQ(test::occurrences(text, "OpCapability SplitBarrierEXT"), 1u);
}

// splitBarrierReservedSharedMemory (VUID-RuntimeSpirv-OpControlBarrierArriveEXT-13562): the
// transposition takes shuffles instead.
TEST(SplitBarriers, LeaveTheirSharedMemoryAlone) {
    EXPECT_GT(test::occurrences(run(moduleOf("64"), 0), "Workgroup\n"), 0u);
    EXPECT_EQ(test::occurrences(run(moduleOf("64"), 32768), "Workgroup\n"), 0u);
}

}  // namespace
}  // namespace coopvk::rewrite::split_barrier_test
