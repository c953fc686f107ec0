// SPDX-License-Identifier: Apache-2.0
//
// How long the rewritten code is: words out for each word in, of products in the manner of programs
// for language models, and how long its blocks are on CPUs. Drivers take seconds for long code
// (docs/developers/benchmarks.md, "Code size"), and LLVM takes more than linear time for long
// blocks.
#include <gtest/gtest.h>

#include <algorithm>

#include "forms.hpp"
#include "targets.hpp"

namespace coopvk::test {
namespace {

struct Product {
    std::string_view input;           // of modules/
    std::vector<uint32_t> constants;  // specialization constants 0, 1, ...
    // Words out for each word in: of CPUs, and of GPUs.
    double most, mostOfGpus;
};

// The first with tiles of 128 x 256, 64 columns of A at once and 256 invocations.
const Product kProducts[] = {
    {"tiles_of_three_widths", {256, 128, 256, 64}, 8.8, 12.8},
};

Words wordsOf(std::string_view name) {
    const std::vector<Input> inputs = allInputs();
    const auto input = std::ranges::find(inputs, name, &Input::name);
    return input == inputs.end() ? Words{} : compiled(*input, Variant::kFast);
}

class CodeSize : public testing::TestWithParam<Product> {};

TEST_P(CodeSize, StaysInProportion) {
    const Product& product = GetParam();
    const Words words = wordsOf(product.input);
    std::vector<rewrite::SpecializationEntry> entries;
    for (uint32_t id = 0; const uint32_t& constant : product.constants) {
        entries.push_back({id++, std::as_bytes(std::span(&constant, 1))});
    }
    rewrite::Request request;
    request.words = words;
    request.specialization = entries;
    for (const NamedTarget& target : allTargets()) {
        const rewrite::DeviceTraits& device = target.target.device;
        if (target.target.backEnd != rewrite::BackEnd::kCore || !device.storageBuffer8BitAccess) {
            continue;
        }
        const auto out = rewrite::rewrite(request, target.target);
        ASSERT_TRUE(out) << target.name << ": " << out.error().message;
        const double times =
            static_cast<double>(out->words.size()) / static_cast<double>(words.size());
        EXPECT_LE(times, device.isCpu ? product.most : product.mostOfGpus) << target.name;
    }
}

INSTANTIATE_TEST_SUITE_P(All, CodeSize, testing::ValuesIn(kProducts),
                         [](const auto& test) { return std::string(test.param.input); });

struct LongestBlock {
    std::string_view input;
    size_t most;
};

// The first has a row of a product in a block: 1,280 multiplications and as many additions.
// The second loads 128 elements of a matrix and stores 32 of each result in a block, with 4 lanes.
const LongestBlock kLongestBlocks[] = {
    {"tensor_packs", 3200},
    {"reduction_2x2", 1500},
};

// In instructions.
size_t longestBlock(const Words& words) {
    constexpr size_t kHeader = 5;
    constexpr uint32_t kLabel = 248;  // OpLabel
    size_t longest = 0, count = 0;
    for (size_t at = kHeader; at < words.size(); at += std::max(1u, words[at] >> 16)) {
        count = (words[at] & 0xFFFF) == kLabel ? 1 : count + 1;
        longest = std::max(longest, count);
    }
    return longest;
}

// As lavapipe.
rewrite::Target ofCpu(uint32_t lanes) {
    rewrite::Target target;
    target.subgroupSize = lanes;
    rewrite::DeviceTraits& device = target.device;
    device.minSubgroupSize = device.maxSubgroupSize = lanes;
    device.maxComputeSharedMemorySize = 32768;
    for (const auto feature :
         {&rewrite::DeviceTraits::isCpu, &rewrite::DeviceTraits::lanesInStep,
          &rewrite::DeviceTraits::subgroupShuffle, &rewrite::DeviceTraits::shaderFloat16,
          &rewrite::DeviceTraits::shaderInt8, &rewrite::DeviceTraits::shaderInt16,
          &rewrite::DeviceTraits::storageBuffer8BitAccess,
          &rewrite::DeviceTraits::storageBuffer16BitAccess}) {
        device.*feature = true;
    }
    return target;
}

class BlockSize : public testing::TestWithParam<LongestBlock> {};

TEST_P(BlockSize, StaysSmallOnCpus) {
    const Words words = wordsOf(GetParam().input);
    rewrite::Request request;
    request.words = words;
    for (uint32_t lanes = 4; lanes <= 16; lanes *= 2) {
        const auto out = rewrite::rewrite(request, ofCpu(lanes));
        ASSERT_TRUE(out) << lanes << " lanes: " << out.error().message;
        EXPECT_LE(longestBlock(out->words), GetParam().most) << lanes << " lanes";
    }
}

INSTANTIATE_TEST_SUITE_P(All, BlockSize, testing::ValuesIn(kLongestBlocks),
                         [](const auto& test) { return std::string(test.param.input); });

}  // namespace
}  // namespace coopvk::test
