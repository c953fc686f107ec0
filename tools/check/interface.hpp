// SPDX-License-Identifier: Apache-2.0
//
// The memory that a module uses: its descriptors, what device addresses point to, push constants.
#pragma once

#include <cstdint>
#include <vector>

#include "module.hpp"

namespace coopvk::check {

struct BufferUse {
    uint32_t type = 0;  // of what is in it
    bool isDescriptor = true;
    bool isUniform = false;
    uint32_t set = 0, binding = 0, count = 1;  // of a descriptor; count: elements of an array
    // Formats in which matrices and vectors are loaded and stored; empty: as the type says.
    std::vector<Format> formats;
};

struct Interface {
    std::vector<BufferUse> buffers;  // descriptors first
    uint32_t pushConstants = 0;      // type; 0: none
};

// Descriptors of arrays without length get kRuntimeDescriptors, others at most kMostDescriptors.
inline constexpr uint32_t kRuntimeDescriptors = 16;
inline constexpr uint32_t kMostDescriptors = 256;

Interface findInterface(const Module& module);

}  // namespace coopvk::check
