// SPDX-License-Identifier: Apache-2.0
//
// Terms without what their bits do not depend on.
#pragma once

#include "symbols/terms.hpp"

namespace coopvk::reference::symbols {

class Narrowing {
 public:
    explicit Narrowing(Terms& terms) : terms_(terms) {}

    // A term with the same value.
    TermId of(TermId id);

 private:
    static constexpr uint32_t kMostDepth = 96;

    TermId made(TermId id);
    TermId bitsOf(TermId id, uint32_t first, uint32_t count);
    TermId only(TermId id, uint32_t first, uint32_t count);
    TermId ofWord(TermId id, uint32_t first, uint32_t count);
    uint32_t lowestFor(TermId id, uint32_t first) const;

    Terms& terms_;
    std::unordered_map<TermId, TermId> known_;
    uint32_t depth_ = 0;
};

// What a bitwise instruction, or a sum without carries, makes of two terms, as pieces of them; 0:
// more than pieces.
TermId combinedBits(Terms& terms, uint32_t opcode, TermId x, TermId y);

}  // namespace coopvk::reference::symbols
