// SPDX-License-Identifier: Apache-2.0
#include "symbols/readers.hpp"

#include <algorithm>
#include <unordered_set>

#include "execution/opcode_table.hpp"

namespace coopvk::reference::symbols {

// SPV_KHR_cooperative_matrix: which invocation holds an element is "implementation-dependent". So
// is the one that calls a function for it.
constexpr uint32_t kByAnyLane[] = {
    numberIn(OpCooperativeMatrixLoadKHR),      numberIn(OpCooperativeMatrixStoreKHR),
    numberIn(OpCooperativeMatrixLoadNV),       numberIn(OpCooperativeMatrixStoreNV),
    numberIn(OpCooperativeMatrixLoadTensorNV), numberIn(OpCooperativeMatrixStoreTensorNV)};
constexpr uint32_t kAnyLane = ~uint32_t{0};

Readers::Invocation Readers::invocationOf(const Subgroup& s, uint32_t lane) {
    const auto& [x, y, z] = s.group->id;
    const bool isByAny =
        s.isOfElement || (s.at != nullptr && isAmong(kByAnyLane, s.at->row->opcode));
    return {x, y, z, s.index, isByAny ? kAnyLane : lane};
}

void Readers::noteWrite(const Subgroup& s, uint32_t lane, std::span<const Deviation> bytes,
                        TermId term) {
    if (term == 0 || (contractions_.operationsIn(term) & Contractions::kSeen) == 0) return;
    for (const Deviation& byte : bytes) writers_[&byte] = invocationOf(s, lane);
}

void Readers::noteRead(const Subgroup& s, uint32_t lane, std::span<const Deviation> bytes,
                       TermId number, bool isOriginal) {
    if ((contractions_.operationsIn(number) & Contractions::kStored) == 0) return;
    const Invocation reader = invocationOf(s, lane);
    for (const Deviation& byte : bytes) {
        const Invocation* writer = valueIn(writers_, &byte);
        if (byte == 0 || writer == nullptr) continue;
        const bool isInGroup = std::equal(writer->begin(), writer->begin() + 3, reader.begin());
        const bool isAny = isInGroup && (writer->back() == kAnyLane || reader.back() == kAnyLane);
        if (isOriginal && !isAny && *writer != reader) note(number, kByOthers);
        if (!isOriginal && (isAny || *writer == reader)) note(number, kByItself);
    }
}

void Readers::note(TermId number, ReadBy by) {
    std::unordered_set<TermId> seen;
    std::vector<TermId> open = {number};
    while (!open.empty()) {
        const TermId term = open.back();
        open.pop_back();
        if (!seen.insert(term).second) continue;
        terms_.noteReadBy(term, by);
        const std::vector<TermId> results = contractions_.resultsOf(term);
        open.insert(open.end(), results.begin(), results.end());
    }
}

}  // namespace coopvk::reference::symbols
