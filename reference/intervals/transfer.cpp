// SPDX-License-Identifier: Apache-2.0
#include "intervals/transfer.hpp"

#include "intervals/memory.hpp"

namespace coopvk::reference::intervals {
namespace {

// Whether a value may be another one. A product that is not rounded yet is one number to others
// than sums.
bool mayBeAnother(Deviation deviation, uint64_t bits) {
    if (!isNumber(deviation)) return deviation != 0;
    const numbers::Number number = numberOfDeviation(deviation);
    if (deviation == anyNan(number)) return true;
    return deviationOf(number, bits, intervalOf(deviation, number, bits)) != 0;
}

size_t sizeOf(const Value& value) { return size_t{value.components()} * value.lanes; }

bool deviates(const Value& value, LaneMask mask, bool takesUnrounded) {
    if (value.deviations == nullptr) return false;
    Deviation some = 0;  // one loop without branches: most values have none
    for (const Deviation d : std::span(value.deviations, sizeOf(value))) some |= d;
    if (some == 0) return false;
    bool any = false;
    for (uint32_t c = 0; c < value.components(); ++c)
        mask.forEach([&](uint32_t lane) {
            const Deviation deviation = value.deviationAt(c, lane);
            any |= takesUnrounded ? deviation != 0 : mayBeAnother(deviation, value.at(c, lane));
        });
    return any;
}

constexpr uint32_t kTakesUnrounded[] = {numberIn(OpFAdd), numberIn(OpFSub), numberIn(OpFNegate),
                                        numberIn(OpFmaKHR), numberIn(GLSLstd450Fma)};

bool deviates(const Subgroup& s, const Instruction& at, LaneMask mask) {
    const bool takesUnrounded =
        std::ranges::find(kTakesUnrounded, at.row->opcode) != std::end(kTakesUnrounded);
    return std::ranges::any_of(at.operands, [&](const Operand& operand) {
        return operand.slot != kNone && deviates(s.values[operand.slot], mask, takesUnrounded);
    });
}

void setAll(const Value& value, LaneMask mask, Deviation deviation) {
    if (value.deviations == nullptr) return;
    if (mask == LaneMask::firstLanes(value.lanes)) {
        std::fill_n(value.deviations, sizeOf(value), deviation);
        return;
    }
    for (uint32_t c = 0; c < value.components(); ++c)
        mask.forEach([&](uint32_t lane) { value.setDeviation(c, lane, deviation); });
}

// Sums that may be in any order, whatever the operands: reductions, and dot products. Those of the
// vectors of SPIR-V itself are the device's own instructions.
constexpr uint32_t kSums[] = {numberIn(OpDot),
                              numberIn(GLSLstd450Length),
                              numberIn(GLSLstd450Distance),
                              numberIn(GLSLstd450Normalize),
                              numberIn(GLSLstd450FaceForward),
                              numberIn(GLSLstd450Reflect),
                              numberIn(GLSLstd450Refract)};
constexpr uint32_t kMostOwn = 4;

// What a branch or an access depends on.
constexpr spv::Op kDecisions[] = {OpBranchConditional, OpSwitch, OpLoad, OpStore, OpCopyMemory};

void noteDecision(Subgroup& s) {
    if (std::ranges::find(kDecisions, s.at->opcode) == std::end(kDecisions)) return;
    const Value& decides = s.operand(0);
    s.mask.forEach([&](uint32_t lane) {
        for (uint32_t c = 0; c < decides.components(); ++c)
            if (decides.deviationAt(c, lane) != 0)
                return s.intervals->noteDecision(describePlace(s.placeOf(lane)));
    });
}

}  // namespace

bool addsInAnyOrder(const Subgroup& s, const Instruction& at) {
    if (at.opcode == OpGroupNonUniformFAdd || at.opcode == OpGroupNonUniformFMul) return true;
    if (std::ranges::find(kSums, at.row->opcode) == std::end(kSums)) return false;
    const Type& type = *s.values[at[0].slot].type;
    return type.isLong || type.components > kMostOwn;
}

Deviation unknownHere(const Transferred& t) {
    const std::string place = t.s.placeOf(t.mask.first()).instruction;
    const std::string name = place.substr(0, place.find(' '));
    return t.s.intervals->unknown(
        std::format("{} (word {}) of a number that may be another", name, t.at.word));
}

Transfer findTransfer(uint32_t opcode) {
    static const auto table = [] {
        std::unordered_map<uint32_t, Transfer> rows;
        for (const auto list : {elementwiseTransfers(), vectorTransfers(), bitTransfers(),
                                subgroupTransfers(), otherTransfers()})
            for (const TransferRow& row : list) rows.emplace(row.opcode, row.transfer);
        return rows;
    }();
    const Transfer* found = valueIn(table, opcode);
    return found != nullptr ? *found : nullptr;
}

// Arithmetic and functions, of which devices may give others than this one.
bool isOpen(const Subgroup& s, const Instruction& at) {
    const auto isIn = [&](std::span<const TransferRow> rows) {
        return std::ranges::find(rows, at.row->opcode, &TransferRow::opcode) != rows.end();
    };
    return s.intervals->functions() == Functions::kAsAnywhere &&
           (isIn(elementwiseTransfers()) || isIn(vectorTransfers()));
}

Step execute(Subgroup& s) {
    const Instruction& at = *s.at;
    const LaneMask mask = s.mask;
    // Instructions for which subgroups meet set the results of others, in the second phase.
    if (at.result != kNone && at.opcode != OpVariable) setAll(s.result(), mask, 0);
    const bool isAffected = deviates(s, at, mask);
    if (isAffected) noteDecision(s);
    const Step step = at.handler(s);
    if (at.result == kNone) return step;
    const bool isTransferred = isAffected || addsInAnyOrder(s, at) || at.contracts || isOpen(s, at);
    if (!isTransferred && !showsNan(s, at, mask)) return step;
    const Transfer transfer = findTransfer(at.row->opcode);
    if (transfer != nullptr) {
        transfer({s, at, mask});
    } else {
        setAll(s.values[at.result], mask, unknownHere({s, at, mask}));
    }
    return step;
}

}  // namespace coopvk::reference::intervals
