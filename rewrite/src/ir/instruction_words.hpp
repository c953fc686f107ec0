// SPDX-License-Identifier: Apache-2.0
//
// Reads instructions from the words of a module without parsing it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "ir/instruction.hpp"

namespace coopvk::rewrite {

inline constexpr size_t kHeaderWords = 5;

// Calls found(opcode, words of the instruction) for one instruction after the other. True once a
// call returns true; false at an instruction `end`, and where the words end or are cut off.
template <typename Found>
bool anyInstruction(std::span<const uint32_t> words, Found&& found,
                    std::optional<spv::Op> end = {}) {
    while (!words.empty()) {
        const size_t count = words[0] >> spv::WordCountShift;
        const auto opcode = static_cast<spv::Op>(words[0] & spv::OpCodeMask);
        if (count == 0 || count > words.size() || opcode == end) return false;
        if (found(opcode, words.first(count))) return true;
        words = words.subspan(count);
    }
    return false;
}

// Calls each(capability) for the capabilities, which come first in a module. Returns the position
// of the first word after them. Words that are not SPIR-V have no capabilities.
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
