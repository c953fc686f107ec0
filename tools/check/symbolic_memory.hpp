// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "coopvk_reference/symbols.hpp"
#include "memory.hpp"

namespace coopvk::check {

// Symbols for all contents but addresses, and parameters in uniform buffers.
class SymbolicMemory {
 public:
    SymbolicMemory(const Module& module, const Memory& memory, reference::Symbols& symbols) {
        for (const Buffer& buffer : memory.buffers) {
            std::vector<reference::Deviation>& of = deviations_.emplace_back(buffer.bytes.size());
            reference::Deviation next = symbols.addBytes(buffer.bytes.data(), buffer.bytes.size());
            for (reference::Deviation& deviation : of) deviation = next++;
            if (buffer.use.isUniform) std::ranges::fill(of, reference::Deviation{0});
            visitNumbers(module, buffer, [&](uint64_t offset, const Format& format) {
                const bool mayBeAddress = format.kind == Format::Kind::kInteger &&
                                          format.bits == 64 && module.usesAddresses();
                if (format.kind != Format::Kind::kAddress && !mayBeAddress) return;
                std::fill_n(of.begin() + std::ptrdiff_t(offset), format.bytes(),
                            reference::Deviation{0});
            });
        }
    }
    const std::vector<std::vector<reference::Deviation>>& deviations() const { return deviations_; }

 private:
    std::vector<std::vector<reference::Deviation>> deviations_;  // by buffer
};

}  // namespace coopvk::check
