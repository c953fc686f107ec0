// SPDX-License-Identifier: Apache-2.0
//
// How long the rewritten code is: words out for each word in, of products in the manner of programs
// for language models. Drivers take seconds for long code (docs/benchmarks.md, "Code size").
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
    {"tiles_of_three_widths", {256, 128, 256, 64}, 11.0, 16.0},
};

class CodeSize : public testing::TestWithParam<Product> {};

TEST_P(CodeSize, StaysInProportion) {
    const Product& product = GetParam();
    const std::vector<Input> inputs = allInputs();
    const auto input = std::ranges::find(inputs, product.input, &Input::name);
    ASSERT_NE(input, inputs.end());
    const Words words = compiled(*input, Variant::kFast);
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

}  // namespace
}  // namespace coopvk::test
