// SPDX-License-Identifier: Apache-2.0
#include "coopvk_reference/memory_counts.hpp"

#include <algorithm>
#include <set>

namespace coopvk::reference {
namespace {

// The units of so many bytes that the active lanes touch.
std::set<uint64_t> unitsOf(const Moment& at, const Use& use, uint32_t bytes) {
    std::set<uint64_t> units;
    at.active().forEach([&](uint32_t lane) {
        const PointerView pointer = at.pointer(use.operand, lane);
        const bool ofDescriptor = pointer.kind == kBuffer && pointer.range != nullptr;
        const uint64_t first = pointer.offset + (ofDescriptor ? pointer.range->address : 0);
        for (uint64_t unit = first / bytes; unit * bytes < first + use.size; ++unit)
            units.insert(unit);
    });
    return units;
}

uint64_t divideUp(uint64_t count, uint64_t by) { return (count + by - 1) / by; }

}  // namespace

void MemoryCounts::use(const Moment& at, const Use& use) {
    if (use.size == 0 || at.active().none()) return;
    const uint32_t lane = at.active().first();
    const MemoryKind kind = at.pointer(use.operand, lane).kind;
    if (kind != kShared && kind != kBuffer) return;
    uint64_t transactions, fewest;
    if (kind == kShared) {
        const auto words = unitsOf(at, use, model_.bankBytes);
        std::vector<uint64_t> ofBank(model_.banks);
        for (const uint64_t word : words) ++ofBank[word % model_.banks];
        transactions = *std::ranges::max_element(ofBank);
        fewest = divideUp(words.size(), model_.banks);
    } else {
        transactions = unitsOf(at, use, model_.segmentBytes).size();
        fewest = divideUp(unitsOf(at, use, 1).size(), model_.segmentBytes);
    }
    const std::lock_guard lock(mutex_);
    MemoryCount& count = counts_[{at.word(), use.operand}];
    if (count.executions == 0) {
        const std::string text = at.place(lane).instruction;
        count = {kind, text.substr(0, text.find(" with "))};
    }
    ++count.executions;
    count.transactions += transactions;
    count.fewest += fewest;
}

}  // namespace coopvk::reference
