// SPDX-License-Identifier: Apache-2.0
#include "judged.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <spirv-tools/libspirv.hpp>

#include "coopvk/rewrite.hpp"
#include "matrix_text.hpp"

namespace coopvk::judge {

using reference::test::Execution;

Judged product() {
    return {"product",
            reference::test::text("%a = OpCooperativeMatrixLoadKHR %A %p0 %0 %8\n"
                                  "%b = OpCooperativeMatrixLoadKHR %B %p1 %0 %6\n"
                                  "%c = OpCooperativeMatrixMulAddKHR %C %a %b %zeros\n"
                                  "OpCooperativeMatrixStoreKHR %p2 %c %0 %6\n"),
            4,
            {32, 48, 24}};
}

namespace {

void insertBefore(std::string& text, std::string_view place, std::string_view inserted) {
    text.insert(text.find(place), inserted);
}

}  // namespace

// 0x6108: AcquireRelease, WorkgroupMemory, MakeAvailable, MakeVisible.
Judged sharedStore() {
    std::string text = reference::test::text(
        "%shared0 = OpAccessChain %inShared %shared %0\n"
        "%c = OpCooperativeMatrixLoadKHR %tile %p1 %0 %16\n"
        "OpCooperativeMatrixStoreKHR %shared0 %c %0 %16 NonPrivatePointer\n"
        "OpControlBarrier %2 %2 %0x6108\n"
        "%t = OpCooperativeMatrixLoadKHR %tile %shared0 %1 %16 NonPrivatePointer\n"
        "OpCooperativeMatrixStoreKHR %p2 %t %0 %16\n",
        "2", 8);
    // Of scope Workgroup, only sizes of whole tiles.
    text = std::regex_replace(text, std::regex("%(A|B|C|BT|zeros) = .*\n"), "");
    insertBefore(text, "%buffer0 %buffer1 %buffer2\n", "%shared ");
    insertBefore(text, "%procedure =",
                 "%0x6108 = OpConstant %u32 0x6108\n%16 = OpConstant %u32 16\n"
                 "%tile = OpTypeCooperativeMatrixKHR %f32 %scope %16 %16 %2\n"
                 "%256 = OpConstant %u32 256\n%floats = OpTypeArray %f32 %256\n"
                 "%pointerShared = OpTypePointer Workgroup %floats\n"
                 "%inShared = OpTypePointer Workgroup %f32\n"
                 "%shared = OpVariable %pointerShared Workgroup\n");
    return {"sharedStore", text, 4, {1, 256, 256}};
}

Judged clippedTensor() {
    std::string text = reference::test::text(
        "%l0 = OpCreateTensorLayoutNV %layout\n"
        "%l1 = OpTensorLayoutSetDimensionNV %layout %l0 %4 %6\n"
        "%l2 = OpTensorLayoutSliceNV %layout %l1 %2 %4 %0 %6\n"
        "%c = OpCooperativeMatrixLoadTensorNV %C %p1 %zeros %l2 None None\n"
        "OpCooperativeMatrixStoreKHR %p2 %c %0 %6\n");
    return {"clippedTensor", text, 4, {1, 24, 24}};
}

// New dimensions are the spans, and the offsets are zero again (SPV_NV_tensor_addressing).
Judged unslicedTensor() {
    std::string text = reference::test::text(
        "%l0 = OpCreateTensorLayoutNV %layout\n"
        "%l1 = OpTensorLayoutSetDimensionNV %layout %l0 %8 %8\n"
        "%l2 = OpTensorLayoutSliceNV %layout %l1 %2 %4 %1 %6\n"
        "%l3 = OpTensorLayoutSetDimensionNV %layout %l2 %4 %6\n"
        "%c = OpCooperativeMatrixLoadTensorNV %C %p1 %zeros %l3 None None\n"
        "OpCooperativeMatrixStoreKHR %p2 %c %0 %6\n");
    return {"unslicedTensor", text, 4, {1, 24, 24}};
}

std::string rewritten(const Judged& judged) {
    const spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
    std::vector<uint32_t> words;
    EXPECT_TRUE(tools.Assemble(judged.text, &words)) << judged.name;
    rewrite::Target target;
    target.subgroupSize = judged.lanes;
    rewrite::Request request;
    words = rewrite::withLines(words);
    request.words = words;
    const auto result = rewrite::rewrite(request, target);
    EXPECT_TRUE(result) << judged.name << ": " << result.error().message;
    return result ? rewrite::disassemble(result->words) : "";
}

Execution run(const Judged& judged, const std::string& text) {
    Execution execution;
    execution.lanes = judged.lanes;
    execution.settings.schedule = reference::Choice::kAdversarial;
    execution.settings.reports = 1000;
    for (uint32_t binding = 0; binding < 3; ++binding)
        for (uint32_t i = 0; i < judged.words[binding]; ++i)  // no two elements are the same
            execution.buffers[binding].push_back(
                binding == 2 ? 0 : reference::test::bitsOf(float(i + 1)));
    execute(execution, text);
    EXPECT_EQ(execution.error, "") << judged.name;
    return execution;
}

}  // namespace coopvk::judge
