// SPDX-License-Identifier: Apache-2.0
//
// Atomic instructions (SPIR-V, 3.52.18). Scope and semantics matter to the check of races: here all
// are sequentially consistent.
#include "memory/atomics.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "execution/map.hpp"
#include "memory/families.hpp"
#include "memory/races.hpp"

namespace coopvk::reference {

namespace {

template <typename Word>
uint64_t exchangeWord(std::byte* data, const std::function<uint64_t(uint64_t)>& change) {
    std::atomic_ref<Word> word(*reinterpret_cast<Word*>(data));
    Word before = word.load();
    while (!word.compare_exchange_weak(before, static_cast<Word>(change(before)))) {
    }
    return before;
}

// Function and Private variables: only this invocation sees them.
uint64_t changeComponent(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& pointer,
                         const std::function<uint64_t(uint64_t)>& change) {
    if ((pointer.base & kOutside) != 0 || pointer.offset >= s.program->privateComponents) {
        s.report(kCheckBounds, i, lane, "an index is outside of its array in a variable");
        return 0;
    }
    uint64_t& bits = s.privateData[pointer.offset * s.lanes + lane];
    const uint64_t before = bits;
    bits = change(before);
    s.privateDefined[pointer.offset].set(lane);
    return before;
}

}  // namespace

uint64_t atomicMemory(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& pointer,
                      uint64_t offset, uint32_t size,
                      const std::function<uint64_t(uint64_t)>& change) {
    if (holdsComponents(pointer.storage)) return changeComponent(s, i, lane, pointer, change);
    const Span at = locate(s, i, lane, pointer, offset, size);
    if (at.data == nullptr) return 0;
    if (reinterpret_cast<uintptr_t>(at.data) % size != 0) {
        s.report(kCheckBounds, i, lane, "an atomic operation at an address that is not aligned");
        return 0;
    }
    Access access;
    access.atomic = true;
    noteAccess(s, i, lane, pointer, at.data, size, i.opcode != spv::Op::OpAtomicLoad, access);
    if (at.written != nullptr) {
        if (i.opcode != spv::Op::OpAtomicStore && std::memchr(at.written, 0, size) != nullptr)
            s.report(kCheckUnwritten, i, lane, "an atomic operation on memory that nothing wrote");
        std::memset(at.written, 1, size);
    }
    switch (size) {
        case 2:
            return exchangeWord<uint16_t>(at.data, change);
        case 4:
            return exchangeWord<uint32_t>(at.data, change);
        default:
            return exchangeWord<uint64_t>(at.data, change);
    }
}

namespace {

// New bits of memory from the bits before, for one lane.
using Change = uint64_t (*)(const Program&, const Type&, uint64_t before, uint64_t operand);

template <auto kOp>
uint64_t onBits(const Program&, const Type& type, uint64_t before, uint64_t operand) {
    return static_cast<uint64_t>(kOp(before, operand)) & widthMask(type.width);
}
template <auto kOp>
uint64_t onSigned(const Program&, const Type& type, uint64_t before, uint64_t operand) {
    return static_cast<uint64_t>(
               kOp(signExtend(before, type.width), signExtend(operand, type.width))) &
           widthMask(type.width);
}
// A scalar, or each component of a vector of halves.
template <auto kOp>
uint64_t onFloats(const Program& program, const Type& type, uint64_t before, uint64_t operand) {
    const Type& scalar = scalarOf(type);
    uint64_t result = 0;
    return withFormat(program, scalar, [&](auto format) {
        using Compute = typename decltype(format)::Compute;
        for (uint32_t bit = 0; bit < scalar.width * type.components; bit += scalar.width) {
            const uint64_t mask = widthMask(scalar.width);
            const uint64_t bits = format.to(static_cast<Compute>(
                kOp(format.from((before >> bit) & mask), format.from((operand >> bit) & mask))));
            result |= bits << bit;
        }
        return result;
    });
}

// The components of a lane as the bits of memory.
uint64_t packed(const Value& value, uint32_t lane) {
    uint64_t bits = 0;
    const uint32_t width = scalarOf(*value.type).width;
    for (uint32_t c = 0; c < value.components(); ++c) bits |= value.at(c, lane) << (c * width);
    return bits;
}

void synchronise(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& at) {
    if (s.group->races == nullptr || holdsComponents(at.storage)) return;
    const Span span = locate(s, i, lane, at, 0, 1);
    const auto semantics = static_cast<uint32_t>(s.operand(i, 2).at(0, lane));
    if (span.data != nullptr) s.group->races->synchronise(s, lane, at, span.data, semantics);
}

void unpack(const Value& result, uint32_t lane, uint64_t bits) {
    const uint32_t width = scalarOf(*result.type).width;
    for (uint32_t c = 0; c < result.components(); ++c) {
        result.at(c, lane) = (bits >> (c * width)) & widthMask(width);
        result.defined[c].set(lane);
    }
}

void checkOperand(Subgroup& s, const Instruction& i, const Value& value) {
    if (!s.checks(kCheckUndefined)) return;
    const LaneMask undefined = s.mask & ~value.defined[0];
    if (undefined.any())
        s.report(kCheckUndefined, i, undefined.first(),
                 "an atomic operation stores an undefined value");
}

// Bytes in memory of a value.
uint32_t bytesOf(const Type& type) { return static_cast<uint32_t>(sizeOf({&type})); }

// Operands: pointer, scope, semantics, value.
template <auto kChange>
Step atomic(Subgroup& s, const Instruction& i) {
    const Value pointer = s.operand(i, 0), operand = s.operand(i, 3), result = s.result(i);
    checkOperand(s, i, operand);
    const Change change = kChange;
    s.mask.forEach([&](uint32_t lane) {
        const Pointer at = pointerAt(pointer, lane);
        synchronise(s, i, lane, at);
        const uint64_t value = packed(operand, lane);
        unpack(result, lane,
               atomicMemory(s, i, lane, at, 0, bytesOf(*i.type), [&](uint64_t before) {
                   return change(*s.program, *i.type, before, value);
               }));
    });
    return Step::kYield;
}

// Operands: pointer, scope, semantics.
template <int kBy>
Step atomicStep(Subgroup& s, const Instruction& i) {
    const Value pointer = s.operand(i, 0), result = s.result(i);
    s.mask.forEach([&](uint32_t lane) {
        const Pointer at = pointerAt(pointer, lane);
        synchronise(s, i, lane, at);
        unpack(result, lane,
               atomicMemory(s, i, lane, at, 0, bytesOf(*i.type), [&](uint64_t before) {
                   return before + static_cast<uint64_t>(int64_t{kBy});
               }));
    });
    return Step::kYield;
}

Step atomicStore(Subgroup& s, const Instruction& i) {
    const Value pointer = s.operand(i, 0), operand = s.operand(i, 3);
    checkOperand(s, i, operand);
    s.mask.forEach([&](uint32_t lane) {
        const Pointer at = pointerAt(pointer, lane);
        synchronise(s, i, lane, at);
        const uint64_t value = packed(operand, lane);
        atomicMemory(s, i, lane, at, 0, bytesOf(*operand.type), [&](uint64_t) { return value; });
    });
    return Step::kYield;
}

// Operands: pointer, scope, semantics if equal, semantics if not, value, comparator.
Step compareExchange(Subgroup& s, const Instruction& i) {
    const Value pointer = s.operand(i, 0), value = s.operand(i, 4), comparator = s.operand(i, 5);
    const Value result = s.result(i);
    checkOperand(s, i, value);
    s.mask.forEach([&](uint32_t lane) {
        const Pointer at = pointerAt(pointer, lane);
        synchronise(s, i, lane, at);
        unpack(result, lane,
               atomicMemory(s, i, lane, at, 0, bytesOf(*i.type), [&](uint64_t before) {
                   return before == comparator.at(0, lane) ? value.at(0, lane) : before;
               }));
    });
    return Step::kYield;
}

constexpr auto add = [](auto a, auto b) { return a + b; };
constexpr auto subtract = [](auto a, auto b) { return a - b; };
constexpr auto least = [](auto a, auto b) { return std::min(a, b); };
constexpr auto most = [](auto a, auto b) { return std::max(a, b); };
constexpr auto leastFloat = [](auto a, auto b) { return std::fmin(a, b); };
constexpr auto mostFloat = [](auto a, auto b) { return std::fmax(a, b); };
constexpr auto bitAnd = [](auto a, auto b) { return a & b; };
constexpr auto bitOr = [](auto a, auto b) { return a | b; };
constexpr auto bitXor = [](auto a, auto b) { return a ^ b; };
constexpr auto second = [](auto, auto b) { return b; };

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpAtomicLoad, atomicStep<0>),
    row(spv::Op::OpAtomicStore, atomicStore),
    row(spv::Op::OpAtomicExchange, atomic<onBits<second>>),
    row(spv::Op::OpAtomicCompareExchange, compareExchange),
    row(spv::Op::OpAtomicIIncrement, atomicStep<1>),
    row(spv::Op::OpAtomicIDecrement, atomicStep<-1>),
    row(spv::Op::OpAtomicIAdd, atomic<onBits<add>>),
    row(spv::Op::OpAtomicISub, atomic<onBits<subtract>>),
    row(spv::Op::OpAtomicSMin, atomic<onSigned<least>>),
    row(spv::Op::OpAtomicUMin, atomic<onBits<least>>),
    row(spv::Op::OpAtomicSMax, atomic<onSigned<most>>),
    row(spv::Op::OpAtomicUMax, atomic<onBits<most>>),
    row(spv::Op::OpAtomicAnd, atomic<onBits<bitAnd>>),
    row(spv::Op::OpAtomicOr, atomic<onBits<bitOr>>),
    row(spv::Op::OpAtomicXor, atomic<onBits<bitXor>>),
    row(spv::Op::OpAtomicFAddEXT, atomic<onFloats<add>>),
    row(spv::Op::OpAtomicFMinEXT, atomic<onFloats<leastFloat>>),
    row(spv::Op::OpAtomicFMaxEXT, atomic<onFloats<mostFloat>>),
};

}  // namespace

Rows atomicRows() { return kRows; }

}  // namespace coopvk::reference
