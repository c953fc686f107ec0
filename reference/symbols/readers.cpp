// SPDX-License-Identifier: Apache-2.0
#include "symbols/readers.hpp"

#include <algorithm>
#include <unordered_set>

#include "execution/opcode_table.hpp"

namespace coopvk::reference::symbols {
namespace {

// SPV_KHR_cooperative_matrix: which invocation holds an element is "implementation-dependent". So
// is the one that calls a function for it.
constexpr uint32_t kByAnyLane[] = {
    numberIn(OpCooperativeMatrixLoadKHR),      numberIn(OpCooperativeMatrixStoreKHR),
    numberIn(OpCooperativeMatrixLoadNV),       numberIn(OpCooperativeMatrixStoreNV),
    numberIn(OpCooperativeMatrixLoadTensorNV), numberIn(OpCooperativeMatrixStoreTensorNV)};
constexpr uint32_t kAny = ~uint32_t{0};

// Whether a workgroup holds a matrix that the instruction has: then any of its subgroups does.
bool isOfWorkgroup(const Subgroup& s, const Instruction& at) {
    const auto is = [](const Type* type) {
        return type != nullptr && type->kind == Kind::kCooperativeMatrix &&
               type->scope == spv::Scope::Workgroup;
    };
    return is(at.type) || std::ranges::any_of(at.operands, [&](const Operand& operand) {
               return operand.slot != kNone && is(s.values[operand.slot].type);
           });
}

}  // namespace

Readers::Invocation Readers::invocationOf(const Subgroup& s, uint32_t lane) {
    const auto& [x, y, z] = s.group->id;
    const Instruction* of = s.elementsOf;
    if (of == nullptr && s.at != nullptr && isAmong(kByAnyLane, s.at->row->opcode)) of = s.at;
    if (of == nullptr) return {x, y, z, s.index, lane};
    return {x, y, z, isOfWorkgroup(s, *of) ? kAny : s.index, kAny};
}

// Whether both may be one.
bool Readers::mayBeOne(const Invocation& a, const Invocation& b) {
    for (size_t n = 0; n < a.size(); ++n)
        if (a[n] != b[n] && a[n] != kAny && b[n] != kAny) return false;
    return true;
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
        const bool isOne = mayBeOne(*writer, reader);
        if (isOriginal && !isOne) note(number, kByOthers);
        if (!isOriginal && isOne) note(number, kByItself);
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
