// SPDX-License-Identifier: Apache-2.0
//
// The inputs of tests/inputs that have a reference: a shader without any emulated extension that
// writes the same buffers. Each runs as six compilers would make it.
#include <gtest/gtest.h>

#include "../inputs/input.hpp"
#include "harness/compute.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test {

void PrintTo(const Input& input, std::ostream* out) { *out << input.name; }

namespace {

std::vector<Input> inputsWithReference() {
    std::vector<Input> inputs = allInputs();
    std::erase_if(inputs, [](const Input& input) { return input.expected.empty(); });
    return inputs;
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

class Inputs : public testing::TestWithParam<Input> {};

TEST_P(Inputs, MatchTheirReference) {
    const Input& input = GetParam();
    for (const std::string& extension : input.needs)
        if (!Context::get().has(extension)) GTEST_SKIP() << "the device lacks " << extension;
    const Dispatch dispatch = dispatchOf(input);
    const auto want = run(compileGlsl(input.expected), dispatch);
    for (const Variant variant : kVariants) {
        SCOPED_TRACE(nameOf(variant));
        const Words words = input.isAssembly ? optimised(assemble(input.source), variant)
                                             : compileGlsl(input.source, variant);
        const auto got = run(words, dispatch);
        for (size_t i = 0; i < want.size(); ++i)
            EXPECT_EQ(difference(got[i], want[i]), "") << "buffer " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Inputs, testing::ValuesIn(inputsWithReference()),
                         [](const auto& input) { return input.param.name; });

}  // namespace
}  // namespace coopvk::test
