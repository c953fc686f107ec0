// SPDX-License-Identifier: Apache-2.0
//
// Bits of memory that decide what an execution must know: where few do, a proof is one for each of
// their values, or one for the values that they have.
#pragma once

#include <map>
#include <set>

#include "symbols/terms.hpp"

namespace coopvk::reference::symbols {

class Deciding {
 public:
    // Adds the bits of memory on which bits of a term depend, and perhaps more.
    void add(const Terms& terms, TermId id) { add(terms, id, 0, terms[id].width); }
    // Of bytes of memory: a bit for each; empty: there are none, or too many.
    std::map<TermId, uint8_t> take() {
        if (isTooLarge_) bits_.clear();
        isTooLarge_ = false;
        seen_.clear();
        return std::exchange(bits_, {});
    }

 private:
    static constexpr uint32_t kMostBits = 2048, kMostVisited = 4096;

    void add(const Terms& terms, TermId id, uint32_t first, uint32_t count);

    std::map<TermId, uint8_t> bits_;
    std::set<std::array<uint32_t, 3>> seen_;
    bool isTooLarge_ = false;
};

}  // namespace coopvk::reference::symbols
