// SPDX-License-Identifier: Apache-2.0
//
// What the head of a module declares, without building it.
#pragma once

#include <cstddef>
#include <span>

#include "ir/instruction.hpp"

namespace coopvk::rewrite {

inline constexpr size_t kHeaderWords = 5;

// Calls `each` with every capability, which come first in every module, and gives the place of the
// first word behind them. Words that are no SPIR-V have none.
template <typename Each>
size_t forEachCapability(std::span<const uint32_t> words, Each&& each) {
    if (words.size() < kHeaderWords || words[0] != spv::MagicNumber) return words.size();
    size_t at = kHeaderWords;
    for (; at + 1 < words.size(); at += words[at] >> spv::WordCountShift) {
        const auto opcode = static_cast<spv::Op>(words[at] & spv::OpCodeMask);
        if (opcode != spv::Op::OpCapability || words[at] >> spv::WordCountShift == 0) break;
        each(static_cast<spv::Capability>(words[at + 1]));
    }
    return at;
}

inline bool declares(std::span<const uint32_t> words, spv::Capability capability) {
    bool found = false;
    forEachCapability(words, [&](spv::Capability one) { found = found || one == capability; });
    return found;
}

}  // namespace coopvk::rewrite
