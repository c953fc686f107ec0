// SPDX-License-Identifier: Apache-2.0
#include "ir/memory_operands.hpp"

#include <algorithm>
#include <bit>

namespace coopvk::rewrite {

namespace {

constexpr auto bit(spv::MemoryAccessMask mask) { return static_cast<uint32_t>(mask); }
constexpr uint32_t kAligned = bit(spv::MemoryAccessMask::Aligned);
constexpr uint32_t kAvailable = bit(spv::MemoryAccessMask::MakePointerAvailable);
constexpr uint32_t kVisible = bit(spv::MemoryAccessMask::MakePointerVisible);
constexpr uint32_t kWithParameter = kAligned | kAvailable | kVisible |
                                    bit(spv::MemoryAccessMask::AliasScopeINTELMask) |
                                    bit(spv::MemoryAccessMask::NoAliasINTELMask);

}  // namespace

size_t memoryOperandCount(std::span<const Operand> operands) {
    if (operands.empty()) return 0;
    const auto parameters = static_cast<size_t>(std::popcount(operands[0].word & kWithParameter));
    return std::min(operands.size(), 1 + parameters);
}

MemoryOperands::MemoryOperands(std::span<const Operand> operands) {
    operands = operands.first(memoryOperandCount(operands));
    if (operands.empty()) return;
    mask_ = operands[0].word;
    size_t next = 1;
    const auto take = [&] { return next < operands.size() ? operands[next++].word : 0; };
    if ((mask_ & kAligned) != 0) alignment_ = take();
    if ((mask_ & kAvailable) != 0) available_ = take();
    if ((mask_ & kVisible) != 0) visible_ = take();
    for (; next < operands.size(); ++next) further_.push_back(operands[next]);
}

Operands MemoryOperands::build(uint32_t bytes, bool isLoad) const {
    if (mask_ == 0) return {};
    // The load may belong to a store, or the store to a load: the other scope orders it, too.
    uint32_t mask = mask_ & ~(kAvailable | kVisible);
    if ((mask_ & (kAvailable | kVisible)) != 0) mask |= isLoad ? kVisible : kAvailable;
    Operands operands = {literal(mask)};
    if ((mask & kAligned) != 0) {
        // A part of the original access is aligned to its own size at most.
        operands.push_back(literal(std::min(std::max(alignment_, 1u), powerOfTwoIn(bytes))));
    }
    const Id wanted = isLoad ? visible_ : available_, other = isLoad ? available_ : visible_;
    if (const Id scope = wanted != 0 ? wanted : other; scope != 0)
        operands.push_back(idOperand(scope));
    operands.insert(operands.end(), further_.begin(), further_.end());
    return operands;
}

MemoryOperands MemoryOperands::withAlignment(uint32_t alignment) const {
    MemoryOperands changed = *this;
    changed.mask_ = alignment != 0 ? mask_ | kAligned : mask_ & ~kAligned;
    changed.alignment_ = alignment;
    return changed;
}

void MemoryOperands::appendKey(std::vector<uint32_t>& key) const {
    key.insert(key.end(), {mask_, alignment_, available_, visible_});
    for (const Operand& operand : further_) key.push_back(operand.word);
}

std::span<const Operand> tensorAddressing(const Instruction& access) {
    const std::span<const Operand> further = operandsBehind(access, 3);
    return further.subspan(memoryOperandCount(further));
}

bool decodesElements(const Instruction& access) {
    using Mask = spv::TensorAddressingOperandsMask;
    constexpr auto kDecodes = static_cast<uint32_t>(Mask::DecodeFunc | Mask::DecodeVectorFunc);
    const std::span<const Operand> addressing = tensorAddressing(access);
    return !addressing.empty() && (addressing[0].word & kDecodes) != 0;
}

bool isVolatile(std::span<const Operand> operands) {
    return !operands.empty() && (operands[0].word & bit(spv::MemoryAccessMask::Volatile)) != 0;
}

void alignOperands(Instruction& access, size_t first, uint32_t bytes) {
    if ((access.word(first) & kAligned) != 0) return;
    if (access.operands.size() <= first) access.operands.push_back(literal(0u));
    access.operands[first].word |= kAligned;
    // Aligned is the lowest bit with a parameter: its parameter follows the mask.
    access.operands.insert(access.operands.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                           literal(bytes));
}

CopyOperands copyOperands(const Instruction& copy) {
    const std::span<const Operand> all = operandsBehind(copy, 2);
    const std::span<const Operand> second = all.subspan(memoryOperandCount(all));
    const MemoryOperands first(all);
    return {first, second.empty() ? first : MemoryOperands(second)};
}

}  // namespace coopvk::rewrite
