// SPDX-License-Identifier: Apache-2.0
//
// The inputs of tests/inputs that have a reference: a shader without any emulated extension that
// writes the same buffers. Each runs as six compilers would make it, or as one of them.
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <string_view>

#include "../inputs/input.hpp"
#include "harness/compute.hpp"
#include "harness/covering.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::inputs_test {
namespace {

struct NumberedInput : Input {
    size_t number;
};

void PrintTo(const NumberedInput& input, std::ostream* out) { *out << input.name; }

std::vector<NumberedInput> inputsWithReference() {
    std::vector<NumberedInput> inputs;
    for (const Input& input : allInputs())
        if (!input.expected.empty()) inputs.push_back({input, inputs.size()});
    return inputs;
}

// Each value once: one form, another one with each number of lanes from 4 to 128, so all six in the
// six runs. check.inputs executes every form with each number.
std::vector<Variant> formsOf(const NumberedInput& input) {
    if (hasOneForm(input)) return {Variant::kPlain};
    if (!coversValues()) return {std::begin(kVariants), std::end(kVariants)};
    const auto run = static_cast<size_t>(std::countr_zero(Context::get().subgroupSize));
    return {kVariants[(input.number + run) % std::size(kVariants)]};
}

Dispatch dispatchOf(const Input& input) {
    Dispatch dispatch;
    for (const InputBuffer& buffer : input.buffers)
        dispatch.buffers.push_back(contents(buffer, dispatch.buffers.size() + 1));
    const auto push = std::as_bytes(std::span(input.push));
    dispatch.push.assign(push.begin(), push.end());
    dispatch.groups = {input.groups, 1, 1};
    return dispatch;
}

class Inputs : public testing::TestWithParam<NumberedInput> {};

TEST_P(Inputs, MatchTheirReference) {
    const NumberedInput& input = GetParam();
    for (const std::string& extension : input.needs)
        if (!Context::get().has(extension)) GTEST_SKIP() << "the device lacks " << extension;
    const char* emulate = std::getenv("COOPVK_EMULATE");
    const bool isRewritten =
        Context::get().emulated && emulate != nullptr && std::string_view(emulate) == "all";
    const bool isJudged = std::getenv("COOPVK_TEST_VALIDATION") != nullptr;
    if (hasOneForm(input) && (!isRewritten || isJudged))
        GTEST_SKIP() << "the driver or the validation layer would refuse the module";
    const Dispatch dispatch = dispatchOf(input);
    PipelineOptions options;
    for (const auto& [id, value] : input.specialization)
        options.specialization.push_back({id, value});
    const auto want = run(compileGlsl(input.expected), dispatch);
    for (const Variant variant : formsOf(input)) {
        SCOPED_TRACE(nameOf(variant));
        const Checked checked = hasOneForm(input) ? Checked::kNo : Checked::kYes;
        const Words words = input.isAssembly ? optimised(assemble(input.source, checked), variant)
                                             : compileGlsl(input.source, variant);
        const auto got = run(words, dispatch, options);
        for (size_t i = 0; i < want.size(); ++i)
            EXPECT_EQ(difference(got[i], want[i]), "") << "buffer " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Inputs, testing::ValuesIn(inputsWithReference()),
                         [](const auto& input) { return input.param.name; });

}  // namespace
}  // namespace coopvk::test::inputs_test
