// SPDX-License-Identifier: Apache-2.0
//
// Vulkan, "Shader Resource Interface": the index of a descriptor must be dynamically uniform, or
// NonUniform: one in all invocations of the workgroup (SPIR-V, 2.2.1, "Dynamically Uniform").
#pragma once

#include <array>
#include <map>
#include <utility>

#include "execution/frame.hpp"

namespace coopvk::reference::symbols {

class UniformDescriptors {
 public:
    // Before an instruction executes: whether its pointers lead to the descriptors to which they
    // led when another subgroup executed it as often. Within a subgroup the checks look.
    bool areSame(const Subgroup& s);

 private:
    using Descriptor = std::pair<uint64_t, Deviation>;           // the pointer's base
    std::map<std::array<uint32_t, 5>, uint32_t> executions_;     // by workgroup, subgroup, position
    std::map<std::array<uint32_t, 5>, Descriptor> descriptors_;  // by workgroup, position, number
};

}  // namespace coopvk::reference::symbols
