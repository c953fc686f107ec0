// SPDX-License-Identifier: Apache-2.0
//
// Memory of a proof: what is a symbol in it, and which numbers are compared.
#pragma once

#include <optional>

#include "coopvk_reference/symbols.hpp"
#include "side.hpp"

namespace coopvk::check {

// Symbols for all contents but addresses, and parameters in uniform buffers.
class SymbolicMemory {
 public:
    SymbolicMemory(const Module& module, const Memory& memory, reference::Symbols& symbols);
    const std::vector<std::vector<reference::Deviation>>& deviations() const { return deviations_; }

 private:
    std::vector<std::vector<reference::Deviation>> deviations_;  // by buffer
};

// Bytes that a comparison takes for one number.
struct WrittenNumber {
    uint64_t offset = 0;
    uint32_t size = 1;
    std::optional<reference::numbers::Number> format = {};  // of a float
};
// In the formats in which the native side wrote them; each byte once.
std::vector<WrittenNumber> numbersOf(const Module& module, const Memory& memory, size_t buffer,
                                     const Execution& native);

}  // namespace coopvk::check
