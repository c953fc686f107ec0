// SPDX-License-Identifier: Apache-2.0
//
// Extensions of which `coopvk compare` has no cases: for each a small shader, which the device
// executes with coopvk, and the reference device natively. And how fast the device is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coopvk/rewrite.hpp"

namespace coopvk::compare {

class ShaderDevice;

// A shader with two buffers, of 32-bit numbers that it reads and that it writes.
struct TestShader {
    std::vector<rewrite::Extension> extensions;  // the first one is tested, on the others it rests
    std::span<const uint32_t> words;
    uint32_t minLanes = 4;       // of a subgroup
    bool isOneSubgroup = false;  // its workgroup's size is the specialization constant 0
    double operations = 0;       // if it measures: of an iteration of an invocation or a subgroup
    bool countsSubgroups = false;
};

// By the Vulkan name of the extension; null if there is none.
const TestShader* testShader(std::string_view extension);

struct SpeedTest {
    std::string_view name;
    TestShader shader;
};
std::span<const SpeedTest> speedTests();

// Whether all numbers are the reference's. Throws vulkan::Error where a command fails.
bool agreesWithReference(const TestShader& shader, ShaderDevice& gpu);
// Thousands of millions of operations in a second; the best of some tries.
double speedOf(const TestShader& shader, uint32_t device, const std::string& backEnd);

}  // namespace coopvk::compare
