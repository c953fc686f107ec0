// SPDX-License-Identifier: Apache-2.0
//
// The validation layer's detector of races in shared memory, which runs below coopvk in a group of
// tests: it sees coopvk's barriers, and would see that one is missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "harness/compute.hpp"

namespace coopvk::test::race_detector_test {
namespace {

// Each invocation reads what its neighbour wrote.
std::string exchange(std::string_view between) {
    return substitute(R"(#version 450
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) buffer Out { uint result[]; };
shared uint values[64];
void main() {
    const uint i = gl_LocalInvocationIndex;
    values[i] = i;
    ${BETWEEN}
    result[i] = values[(i + 1) % gl_WorkGroupSize.x];
}
)",
                      {{"BETWEEN", std::string(between)}});
}

// Whether the detector reports a race.
bool races(std::string_view between) {
    Context& context = Context::get();
    context.takeMessages();
    run(compileGlsl(exchange(between)), {.buffers = {Bytes(256)}});
    return std::ranges::any_of(context.takeMessages(), [](const std::string& message) {
        return message.find("race") != message.npos;
    });
}

TEST(RaceDetector, FindsAMissingBarrier) {
    if (std::getenv("COOPVK_TEST_RACES") == nullptr) GTEST_SKIP() << "no layer looks for races";
    EXPECT_FALSE(races("barrier();"));
    EXPECT_TRUE(races(""));
}

}  // namespace
}  // namespace coopvk::test::race_detector_test
