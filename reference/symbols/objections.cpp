// SPDX-License-Identifier: Apache-2.0
#include "symbols/objections.hpp"

#include <algorithm>
#include <cmath>

#include "execution/opcode_table.hpp"
#include "memory/pointer.hpp"
#include "symbols/terms.hpp"

namespace coopvk::reference::symbols {
namespace {

constexpr uint32_t kChains[] = {numberIn(OpAccessChain), numberIn(OpInBoundsAccessChain),
                                numberIn(OpPtrAccessChain), numberIn(OpInBoundsPtrAccessChain)};
constexpr uint32_t kUntypedChains[] = {
    numberIn(OpUntypedAccessChainKHR), numberIn(OpUntypedInBoundsAccessChainKHR),
    numberIn(OpUntypedPtrAccessChainKHR), numberIn(OpUntypedInBoundsPtrAccessChainKHR)};

bool isAtomic(spv::Op opcode) {
    return (opcode >= OpAtomicLoad && opcode <= OpAtomicXor) || opcode == OpAtomicFAddEXT ||
           opcode == OpAtomicFMinEXT || opcode == OpAtomicFMaxEXT;
}

// SPIR-V, NonWritable: "this module does not write to the memory holding the variable", and so with
// NonReadable.
bool accessesAgainst(const Subgroup& s) {
    constexpr spv::Op kReads[] = {OpLoad, OpCooperativeMatrixLoadKHR, OpCooperativeMatrixLoadNV,
                                  OpCooperativeMatrixLoadTensorNV, OpCooperativeVectorLoadNV};
    constexpr spv::Op kWrites[] = {OpStore,
                                   OpCopyMemory,
                                   OpCopyMemorySized,
                                   OpCooperativeMatrixStoreKHR,
                                   OpCooperativeMatrixStoreNV,
                                   OpCooperativeMatrixStoreTensorNV,
                                   OpCooperativeVectorStoreNV,
                                   OpCooperativeVectorOuterProductAccumulateNV,
                                   OpCooperativeVectorReduceSumAccumulateNV};
    const Instruction& at = *s.at;
    const bool writes = std::ranges::find(kWrites, at.opcode) != std::end(kWrites) ||
                        (isAtomic(at.opcode) && at.opcode != OpAtomicLoad);
    const bool isReadLater = at.opcode == OpCopyMemory || at.opcode == OpCopyMemorySized;
    const bool reads = isReadLater || std::ranges::find(kReads, at.opcode) != std::end(kReads) ||
                       (isAtomic(at.opcode) && at.opcode != OpAtomicStore);
    return (writes && s.program->slotAt(at, 0).pointee.isNonWritable) ||
           (reads && s.program->slotAt(at, isReadLater ? 1 : 0).pointee.isNonReadable);
}

// One in which a number is taken apart, and it is an infinity or NaN in the sample.
std::optional<uint32_t> laneOfOpenParts(const Subgroup& s) {
    constexpr uint32_t kParts[] = {numberIn(GLSLstd450Modf), numberIn(GLSLstd450Frexp)};
    if (!isAmong(kParts, s.at->row->opcode)) return {};
    const Value& of = s.operand(0);
    const numbers::Number number = scalarOf(*of.type).number;
    std::optional<uint32_t> found;
    for (uint32_t c = 0; c < of.components(); ++c)
        s.mask.forEach([&](uint32_t lane) {
            if (!std::isfinite(numbers::decodeDouble(number, of.at(c, lane)))) found = lane;
        });
    return found;
}

// One in which an access chain is outside, although nothing may be accessed there. SPIR-V,
// OpAccessChain: "with the result type being a logical pointer type, causes undefined behavior
// if not in bounds".
std::optional<uint32_t> laneOutside(const Subgroup& s) {
    const bool isUntyped = isAmong(kUntypedChains, s.at->row->opcode);
    if (!isUntyped && !isAmong(kChains, s.at->row->opcode)) return {};
    const Value &result = s.values[s.at->result], &base = s.operand(isUntyped ? 1 : 0);
    if (result.components() != 2) return {};
    const bool isOfBuffers = result.type->storage == spv::StorageClass::StorageBuffer ||
                             result.type->storage == spv::StorageClass::Uniform;
    std::optional<uint32_t> found;
    s.mask.forEach([&](uint32_t lane) {
        const uint64_t to = result.at(0, lane);
        const bool isOutside = (to & kOutside) != 0 && (base.at(0, lane) & kOutside) == 0;
        const Range* range = isOfBuffers ? rangeAt(to) : nullptr;
        const bool isBehind =
            isOfBuffers && (range == nullptr || result.at(1, lane) >= range->size);
        if (isOutside || isBehind) found = lane;
    });
    return found;
}

}  // namespace

std::optional<Objection> objectionBefore(const Subgroup& s, bool isOriginal) {
    const uint32_t first = s.mask.first();
    if (const auto lane = laneOfOpenParts(s))
        return Objection{*lane, "parts of what is not finite are open"};
    if (isOriginal) return {};
    if (s.program->relaxesMoves)
        return Objection{first, "a phi, function, parameter or constant has RelaxedPrecision"};
    // Of what it adds to memory, too.
    if ((s.at->liberties & kRelaxed) != 0 && isAtomic(s.at->opcode))
        return Objection{first, "an atomic operation has RelaxedPrecision"};
    if (accessesAgainst(s))
        return Objection{first, "it accesses what is NonWritable or NonReadable"};
    return {};
}

std::optional<Objection> objectionAfter(const Subgroup& s) {
    const auto lane = laneOutside(s);
    if (!lane) return {};
    return Objection{*lane, "an index is outside of its array, or names no descriptor"};
}

}  // namespace coopvk::reference::symbols
