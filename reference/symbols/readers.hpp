// SPDX-License-Identifier: Apache-2.0
//
// Who reads what an operation on floats gave: the invocation that computed it, so that a device may
// compute the operation as one with what reads it, or another one, of which it sees but the number.
#pragma once

#include <array>
#include <span>

#include "symbols/contractions.hpp"

namespace coopvk::reference::symbols {

class Readers {
 public:
    Readers(Terms& terms, Contractions& contractions)
        : terms_(terms), contractions_(contractions) {}

    // `term`: before it is a number, see Terms::rounded(). `bytes`: of memory.
    void noteWrite(const Subgroup& s, uint32_t lane, std::span<const Deviation> bytes, TermId term);
    void noteRead(const Subgroup& s, uint32_t lane, std::span<const Deviation> bytes, TermId number,
                  bool isOriginal);
    // In the original by others, in the rewritten module by itself.
    void note(TermId number, ReadBy by);

 private:
    // The workgroup, the subgroup, the lane.
    using Invocation = std::array<uint32_t, 5>;
    static Invocation invocationOf(const Subgroup& s, uint32_t lane);
    static bool mayBeOne(const Invocation& a, const Invocation& b);

    Terms& terms_;
    Contractions& contractions_;
    std::unordered_map<const Deviation*, Invocation> writers_;
};

}  // namespace coopvk::reference::symbols
