// SPDX-License-Identifier: Apache-2.0
//
// What `coopvk tune` measures: shaders as programs have them, whose numbers are small and whole, so
// that every result is exact whatever the order of the sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "coopvk/rewrite.hpp"

namespace coopvk::tune {

enum class Element { kHalf, kSingle, kByte, kInt };

// Inputs, and what comes out.
struct Problem {
    uint32_t size = 0;              // the shader's push constant
    uint32_t groups[2] = {1, 1};    // of a dispatch
    std::vector<std::byte> a, b;    // what the shader reads
    std::vector<int32_t> expected;  // in the order of its result
    double operations = 0;          // of a dispatch
};

struct TuneWork {
    std::string_view name;
    rewrite::Extension extension;
    std::span<const uint32_t> words;
    Element result;
    bool isOfSubgroups;  // its workgroups are 4 subgroups: its specialization constant 0
    Problem (*problem)(bool isCpu);
};

std::span<const TuneWork> tuneWorks();

// The results of a shader as whole numbers; what is none becomes another number than any expected.
std::vector<int32_t> numbersOf(std::span<const std::byte> bytes, Element type);

}  // namespace coopvk::tune
