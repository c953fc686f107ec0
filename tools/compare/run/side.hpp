// SPDX-License-Identifier: Apache-2.0
//
// What runs plans: a Vulkan device, or the reference device.
#pragma once

#include <optional>
#include <string>

#include "compare/cases/plan.hpp"

namespace coopvk::compare {

// The result of a plan on a side: the elements, or why there are none.
struct Outcome {
    std::optional<Matrix> result;
    std::string error;
};

class Side {
 public:
    virtual ~Side() = default;
    // Compiles the plan's shader before run(). Several threads may call it at the same time.
    virtual void prepare(const Plan&) {}
    virtual Outcome run(const Plan& plan) = 0;
    // Drops what prepare() made.
    virtual void forget() {}
};

// SPIRV-Tools' assembler. Throws where the text is wrong.
std::vector<uint32_t> assemble(const std::string& text);
// Throws if anything but the result's elements has changed in its buffer.
void checkSurroundings(const Plan& plan, const Bytes& after);

}  // namespace coopvk::compare
