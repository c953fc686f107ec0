// SPDX-License-Identifier: Apache-2.0
//
// Atomic instructions (SPIR-V, 3.52.18). Scope and semantics matter to the check of races: here all
// are sequentially consistent.
#include <atomic>
#include <cstring>

#include "execution/map.hpp"
#include "execution/opcode_table.hpp"
#include "memory/races.hpp"

namespace coopvk::reference {

namespace {

using namespace operations;
using enum spv::Op;

template <typename Word>
uint64_t exchangeWord(std::byte* data, const std::function<uint64_t(uint64_t)>& change) {
    std::atomic_ref<Word> word(*reinterpret_cast<Word*>(data));
    Word before = word.load();
    while (change && !word.compare_exchange_weak(before, Word(change(before)))) {
    }
    return before;
}

}  // namespace

uint64_t atomicMemory(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& pointer,
                      uint64_t offset, uint32_t size, spv::Scope scope,
                      const std::function<uint64_t(uint64_t)>& change) {
    const Span at = locate(s, i, lane, pointer, offset, size);
    if (at.data == nullptr) return 0;
    if (reinterpret_cast<uintptr_t>(at.data) % size != 0) {
        s.report(kCheckBounds, i, lane, "an atomic operation at an address that is not aligned");
        return 0;
    }
    std::byte seen[sizeof(uint64_t)];
    if (Races* races = s.group->races)
        races->note(s, i, lane, pointer, at.data, size, change ? nullptr : seen, {.atomic = scope});
    if (at.written != nullptr) {
        if (i.opcode != OpAtomicStore && std::memchr(at.written, 0, size) != nullptr)
            s.report(kCheckUnwritten, i, lane, "an atomic operation on memory that nothing wrote");
        std::memset(at.written, 1, size);
    }
    if (change && !s.group->dispatch->watched.empty()) s.noteWrite(i, lane, at.data, size);
    if (size == 2) return exchangeWord<uint16_t>(at.data, change);
    if (size == 4) return exchangeWord<uint32_t>(at.data, change);
    return exchangeWord<uint64_t>(at.data, change);
}

namespace {

void synchronise(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& at) {
    if (s.group->races == nullptr) return;
    const Span span = locate(s, i, lane, at, 0, 1);
    const auto semantics = uint32_t(s.operand(i, 2).at(0, lane));
    if (span.data != nullptr) s.group->races->synchronise(s, lane, at, span.data, semantics);
}

// Operands: pointer, scope, semantics (of OpAtomicCompareExchange two), then the value if there is
// one, else it is 1, and what OpAtomicCompareExchange compares with. The bits of memory are a
// scalar, or the components of a vector.
template <auto kCombine>
Step atomic(Subgroup& s, const Instruction& i) {
    const bool compares = i.opcode == OpAtomicCompareExchange;
    const uint32_t operand = compares ? 4 : 3;
    const bool hasValue = i.operands.size() > operand;
    const Value pointer = s.operand(i, 0), value = s.operand(i, hasValue ? operand : 0);
    const Type& type = i.type != nullptr ? *i.type : *value.type;
    const Type& scalar = scalarOf(type);
    if (hasValue) s.require(i, value, 0, "an atomic operation stores an undefined value");
    const auto bitsAt = [&](uint64_t bits, uint32_t c) {
        return bits >> c * scalar.width & widthMask(scalar.width);
    };
    s.mask.forEach([&](uint32_t lane) {
        const Pointer at = pointerAt(pointer, lane);
        synchronise(s, i, lane, at);
        const auto change = [&](uint64_t before) {
            if (compares && before != s.operand(i, 5).at(0, lane)) return before;
            uint64_t after = 0;
            for (uint32_t c = 0; c < type.components; ++c) {
                const uint64_t with = hasValue ? value.at(c, lane) : 1;
                after |= kCombine(*s.program, scalar, bitsAt(before, c), with) << c * scalar.width;
            }
            return after;
        };
        const auto size = uint32_t(sizeOf({&type}));
        const auto scope = spv::Scope(s.operand(i, 1).at(0, lane));
        using Change = std::function<uint64_t(uint64_t)>;
        const uint64_t bits =
            atomicMemory(s, i, lane, at, 0, size, scope,
                         i.opcode == OpAtomicLoad ? Change() : Change(std::cref(change)));
        if (i.result == kNone) return;
        const Value result = s.result(i);
        for (uint32_t c = 0; c < type.components; ++c) result.set(c, lane, {bitsAt(bits, c)});
    });
    return Step::kYield;
}

constexpr OpcodeRow kRows[] = {
    row(OpAtomicLoad, atomic<combineBits<first>>),
    row(OpAtomicStore, atomic<combineBits<second>>),
    row(OpAtomicExchange, atomic<combineBits<second>>),
    row(OpAtomicCompareExchange, atomic<combineBits<second>>),
    row(OpAtomicIIncrement, atomic<combineBits<add>>),
    row(OpAtomicIDecrement, atomic<combineBits<subtract>>),
    row(OpAtomicIAdd, atomic<combineBits<add>>),
    row(OpAtomicISub, atomic<combineBits<subtract>>),
    row(OpAtomicSMin, atomic<combineSigned<least>>),
    row(OpAtomicUMin, atomic<combineBits<least>>),
    row(OpAtomicSMax, atomic<combineSigned<most>>),
    row(OpAtomicUMax, atomic<combineBits<most>>),
    row(OpAtomicAnd, atomic<combineBits<bitAnd>>),
    row(OpAtomicOr, atomic<combineBits<bitOr>>),
    row(OpAtomicXor, atomic<combineBits<bitXor>>),
    row(OpAtomicFAddEXT, atomic<combineFloats<add>>),
    row(OpAtomicFMinEXT, atomic<combineFloats<leastFloat>>),
    row(OpAtomicFMaxEXT, atomic<combineFloats<mostFloat>>),
};

}  // namespace

Rows atomicRows() { return kRows; }

}  // namespace coopvk::reference
